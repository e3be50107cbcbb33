import { Button, Group } from '@mantine/core'
import type { ClaimPreview, SavedClaimRules } from '@watchline/contracts/claim-rules'
import { limits } from '@watchline/contracts/limits'
import { useRef, useState } from 'react'
import { RelativeTime } from '../../../ui/dates/relative-time.tsx'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { EmptyState } from '../../../ui/feedback/states.tsx'
import { useSending } from '../../../ui/hooks/use-sending.ts'
import { useOwnPassword } from '../sign-in/own-password.tsx'
import { FormError } from '../sign-in/password-form-frame.tsx'
import styles from './claim-rules.module.css'
import { usePreviewClaimRulesMutation, useSaveClaimRulesMutation } from './claim-rules-api.ts'
import { type DraftRule, explainRefusal, toDrafts, toRules } from './draft-rules.ts'
import { RuleFields } from './rule-fields.tsx'
import { RulesPreview } from './rules-preview.tsx'

interface RulesFormProps {
  saved: SavedClaimRules
  onReload: () => void
}

/** Edits the rules, shows whom they would change, and saves them together. */
export function RulesForm({ saved, onReload }: RulesFormProps) {
  const alerts = useAlerts()
  const { isSending, refusal, clearRefusal, send } = useSending()
  const ownPassword = useOwnPassword()
  const [saveRules] = useSaveClaimRulesMutation()
  const [previewRules] = usePreviewClaimRulesMutation()
  const [drafts, setDrafts] = useState<DraftRule[]>(() => toDrafts(saved))
  const [isChecked, setIsChecked] = useState(false)
  const [preview, setPreview] = useState<ClaimPreview>()
  const addButton = useRef<HTMLButtonElement>(null)
  const isChanged = JSON.stringify(toRules(drafts)) !== JSON.stringify(toRules(toDrafts(saved)))
  const isIncomplete = drafts.some(({ value }) => value.trim() === '')

  function change(next: DraftRule[]) {
    setDrafts(next)
    // It was computed for other rules.
    setPreview(undefined)
    clearRefusal()
  }

  function addRule() {
    const key = Math.max(0, ...drafts.map(draft => draft.key)) + 1
    change([...drafts, { key, claim: saved.claims[0] ?? '', value: '', role: 'user', leader: null }])
    setIsChecked(false)
  }

  function moveRule(index: number, by: 1 | -1) {
    const otherDrafts = drafts.toSpliced(index, 1)
    change(otherDrafts.toSpliced(index + by, 0, drafts[index]!))
  }

  function removeRule(index: number) {
    change(drafts.toSpliced(index, 1))
    addButton.current?.focus()
  }

  /** True if every rule is complete; otherwise the fields say what is missing. */
  function check(): boolean {
    setIsChecked(true)
    return !isIncomplete
  }

  async function showPreview() {
    if (!check()) return
    const result = await send(() => previewRules({ body: { rules: toRules(drafts) } }), 'Couldn’t compute the preview.')
    if (result) setPreview(result)
  }

  async function save() {
    const proof = ownPassword.check()
    const isComplete = check()
    if (!isComplete || !proof) return
    const body = { rules: toRules(drafts), version: saved.version, ...proof }
    const result = await send(() => saveRules({ body }), 'Failed to save the rules')
    if (!result) return
    alerts.succeed('The rules are saved', 'They apply from each person’s next sign-in.')
    onReload()
  }

  if (saved.claims.length === 0)
    return (
      <EmptyState title="No claims can be used">
        Set <code>OIDC_CLAIMS</code> to the names of the claims that your sign-in provider sends, and restart Watchline.
      </EmptyState>
    )
  const isFull = drafts.length >= limits.claimRulesMax
  const isConflict = refusal?.failure.code === 'edited_elsewhere'
  return (
    <div className={styles.form}>
      {drafts.length === 0 ? (
        <EmptyState title="No rules">
          Add one, for instance: if groups contains “watchline-supervisors”, the person is a supervisor.
        </EmptyState>
      ) : (
        <ol className={styles.rules}>
          {drafts.map((draft, index) => (
            <li key={draft.key}>
              <RuleFields
                number={index + 1}
                count={drafts.length}
                draft={draft}
                claims={saved.claims}
                isChecked={isChecked}
                isUnavailable={saved.rules.some(({ leader }) => leader?.id === draft.leader?.id && !leader?.available)}
                onChange={next => change(drafts.with(index, next))}
                onMove={by => moveRule(index, by)}
                onRemove={() => removeRule(index)}
              />
            </li>
          ))}
        </ol>
      )}
      {refusal ? <FormError>{explainRefusal(refusal.failure, refusal.message)}</FormError> : null}
      {isChanged ? ownPassword.field : null}
      <Group>
        <Button ref={addButton} variant="default" onClick={addRule} data-disabled={isFull}>
          Add rule
        </Button>
        <Button variant="default" onClick={showPreview} aria-disabled={isSending} disabled={drafts.length === 0}>
          Show who would change
        </Button>
        {isConflict ? (
          <Button onClick={onReload}>Load the saved rules</Button>
        ) : (
          <Button onClick={save} disabled={!isChanged} aria-disabled={isSending}>
            Save rules
          </Button>
        )}
      </Group>
      {isFull ? <p className={styles.dim}>There can be {limits.claimRulesMax} rules.</p> : null}
      {saved.updated_at ? (
        <p className={styles.dim}>
          Last changed by {saved.updated_by} <RelativeTime time={saved.updated_at} inline />
        </p>
      ) : null}
      {preview ? <RulesPreview preview={preview} /> : null}
    </div>
  )
}
