import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { AssignableRole } from '@watchline/contracts/people'
import type { MouseEvent } from 'react'
import { flushSync } from 'react-dom'
import styles from './claim-rules.module.css'
import { type DraftRule, leadingRoles } from './draft-rules.ts'
import { RuleLeader } from './rule-leader.tsx'

const roleOptions: { value: AssignableRole; label: string }[] = [
  { value: 'user', label: 'User' },
  { value: 'supervisor', label: 'Supervisor' },
  { value: 'manager', label: 'Manager' },
  { value: 'director', label: 'Director' },
]

interface RuleFieldsProps {
  /** From 1. */
  number: number
  count: number
  draft: DraftRule
  claims: readonly string[]
  /** Missing values are marked. */
  isChecked: boolean
  /** The leader has another role now, or is deactivated. */
  isUnavailable: boolean
  onChange: (draft: DraftRule) => void
  onMove: (by: 1 | -1) => void
  onRemove: () => void
}

/** One rule: the condition, the role, and the leader that the role can have. */
export function RuleFields(props: RuleFieldsProps) {
  const { number, count, draft, claims, isChecked, isUnavailable, onChange, onMove, onRemove } = props
  const leading = leadingRoles[draft.role]
  // A saved rule may name a claim that the setting no longer has.
  const claimOptions = claims.includes(draft.claim) ? [...claims] : [draft.claim, ...claims]

  function createMoveHandler(by: 1 | -1) {
    return ({ currentTarget: button }: MouseEvent<HTMLButtonElement>) => {
      flushSync(() => onMove(by))
      // The rule may have been moved in the document, and a moved element loses the focus.
      button.focus()
    }
  }

  return (
    <fieldset className={styles.rule}>
      <legend className={styles.legend}>Rule {number}</legend>
      <div className={styles.fields}>
        <NativeSelect
          label="If the claim"
          data={claimOptions}
          value={draft.claim}
          error={claims.includes(draft.claim) ? undefined : 'Not in OIDC_CLAIMS any more'}
          onChange={event => onChange({ ...draft, claim: event.currentTarget.value })}
        />
        <TextInput
          label="contains"
          placeholder="watchline-supervisors"
          value={draft.value}
          maxLength={limits.claimValueMaxLength}
          error={isChecked && draft.value.trim() === '' ? 'Enter a value' : undefined}
          onChange={event => onChange({ ...draft, value: event.currentTarget.value })}
        />
        <NativeSelect
          label="the person is"
          data={roleOptions}
          value={draft.role}
          onChange={event => onChange({ ...draft, role: event.currentTarget.value as AssignableRole, leader: null })}
        />
        {leading ? (
          <RuleLeader
            key={leading}
            leading={leading}
            leader={draft.leader}
            onPick={leader => onChange({ ...draft, leader })}
          />
        ) : null}
      </div>
      {leading && draft.leader && isUnavailable ? (
        <p className={styles.warning}>
          {draft.leader.name} is no active {leading} any more, so nobody can be put there.
        </p>
      ) : null}
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={createMoveHandler(-1)} data-disabled={number === 1}>
          Move up<span className="wl-hidden"> rule {number}</span>
        </Button>
        <Button size="xs" variant="default" onClick={createMoveHandler(1)} data-disabled={number === count}>
          Move down<span className="wl-hidden"> rule {number}</span>
        </Button>
        <Button size="xs" variant="default" onClick={onRemove}>
          Remove<span className="wl-hidden"> rule {number}</span>
        </Button>
      </Group>
    </fieldset>
  )
}
