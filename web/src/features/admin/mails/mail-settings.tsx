import { NativeSelect } from '@mantine/core'
import { type MailKind, mailKind } from '@watchline/contracts/mail'
import type { MailWording, SavedMailWording } from '@watchline/contracts/mail-settings'
import { useRef, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { useKeptFocus } from '../../../ui/controls/use-kept-focus.ts'
import { LoadFailed, SkeletonRows } from '../../../ui/feedback/states.tsx'
import { mailNames } from './mail-names.ts'
import styles from './mail-settings.module.css'
import { useListMailWordingsQuery } from './mail-settings-api.ts'
import { ReminderTimes } from './reminder-times.tsx'
import { WordingForm } from './wording-form.tsx'

/** The times of reminders, and the words of each kind of mail. */
export function MailSettings() {
  const page = useRef<HTMLDivElement>(null)
  useKeptFocus(page)
  return (
    <div ref={page} tabIndex={-1} className={styles.page}>
      <ReminderTimes />
      <MailWordings />
    </div>
  )
}

function MailWordings() {
  const { data, error, isFetching, refetch } = useListMailWordingsQuery(undefined, { refetchOnMountOrArgChange: true })
  return (
    <section aria-labelledby="mail-words" className={styles.section}>
      <div>
        <h2 id="mail-words" className={styles.title}>
          Words of mails
        </h2>
        <p className={styles.dim}>
          Change what each mail says, in any language. Every mail ends with its reason and how to turn it off.
        </p>
      </div>
      {error ? (
        <LoadFailed
          message="Couldn’t load the words."
          failure={asFailure(error)}
          onRetry={refetch}
          retrying={isFetching}
          oldBelow={data !== undefined}
        />
      ) : null}
      {data ? <Wordings wordings={data} onReload={refetch} /> : error ? null : <SkeletonRows rows={4} height={96} />}
    </section>
  )
}

function Wordings({ wordings, onReload }: { wordings: SavedMailWording[]; onReload: () => void }) {
  const [kind, setKind] = useState<MailKind>('task_due_soon')
  // Words that are not saved stay while the administrator looks at another kind.
  const [drafts, setDrafts] = useState<Partial<Record<MailKind, MailWording>>>({})
  const saved = wordings.find(wording => wording.kind === kind)
  const setDraft = (draft: MailWording | undefined) => setDrafts(current => ({ ...current, [kind]: draft }))
  return (
    <>
      <NativeSelect
        label="Kind of mail"
        value={kind}
        onChange={event => setKind(mailKind.parse(event.currentTarget.value))}
        data={wordings.map(wording => ({
          value: wording.kind,
          label: `${mailNames[wording.kind]}${wording.is_default ? '' : ' (changed)'}`,
        }))}
        className={styles.choice}
      />
      {saved ? (
        <WordingForm
          // A version that somebody else saved replaces the preview and the refusal.
          key={`${kind} ${saved.version}`}
          saved={saved}
          draft={drafts[kind]}
          onDraft={setDraft}
          onReload={() => {
            setDraft(undefined)
            onReload()
          }}
        />
      ) : null}
    </>
  )
}
