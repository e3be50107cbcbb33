import { NativeSelect } from '@mantine/core'
import { type MailKind, type MailSubject, mailKind, mailSubjects } from '@watchline/contracts/mail'
import type { MailWording, SavedMailWording } from '@watchline/contracts/mail-settings'
import { useRef, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { useKeptFocus } from '../../../ui/controls/use-kept-focus.ts'
import { nameLanguage } from '../../../ui/dates/language-name.ts'
import { LoadFailed, SkeletonRows } from '../../../ui/feedback/states.tsx'
import { MailLanguages } from './mail-languages.tsx'
import { mailNames, mailSubjectNames } from './mail-names.ts'
import styles from './mail-settings.module.css'
import { useGetMailLanguagesQuery, useListMailWordingsQuery } from './mail-settings-api.ts'
import { ReminderTimes } from './reminder-times.tsx'
import { WordingForm } from './wording-form.tsx'

/** The times of reminders, and the languages and words of mails. */
export function MailSettings() {
  const page = useRef<HTMLDivElement>(null)
  useKeptFocus(page)
  return (
    <div ref={page} tabIndex={-1} className={styles.page}>
      <ReminderTimes />
      <MailLanguages />
      <MailWordings />
    </div>
  )
}

function MailWordings() {
  const languages = useGetMailLanguagesQuery().data
  const [chosen, setChosen] = useState<string>()
  const [kind, setKind] = useState<MailKind>('task_due_soon')
  // Words that are not saved stay while the administrator looks at another kind or language.
  const [drafts, setDrafts] = useState<Record<string, MailWording | undefined>>({})
  // Undefined for the default language, also once the chosen one is removed.
  const language = chosen !== undefined && languages?.languages.includes(chosen) ? chosen : undefined
  const draftKey = `${kind} ${language}`
  const { currentData, error, isFetching, refetch } = useListMailWordingsQuery(
    language === undefined ? {} : { query: { language } },
    { refetchOnMountOrArgChange: true },
  )
  return (
    <section aria-labelledby="mail-words" className={styles.section}>
      <div>
        <h2 id="mail-words" className={styles.title}>
          Words of mails
        </h2>
        <p className={styles.dim}>
          Change what each mail says. Every mail ends with its reason and how to turn it off, in English until you write
          that end, too.
        </p>
      </div>
      {languages && languages.languages.length > 0 ? (
        <NativeSelect
          label="Language of the words"
          value={language ?? ''}
          onChange={event => setChosen(event.currentTarget.value || undefined)}
          data={[
            { value: '', label: `${nameLanguage(languages.default_language)}, the default language` },
            ...languages.languages.map(tag => ({ value: tag, label: nameLanguage(tag) })),
          ]}
          className={styles.choice}
        />
      ) : null}
      {error ? (
        <LoadFailed
          message="Couldn’t load the words."
          failure={asFailure(error)}
          onRetry={refetch}
          retrying={isFetching}
          oldBelow={currentData !== undefined}
        />
      ) : null}
      {currentData ? (
        <Wordings
          kind={kind}
          onKind={setKind}
          wordings={currentData}
          draft={drafts[draftKey]}
          onDraft={draft => setDrafts(current => ({ ...current, [draftKey]: draft }))}
          onReload={refetch}
        />
      ) : error ? null : (
        <SkeletonRows rows={4} height={96} />
      )}
    </section>
  )
}

interface WordingsProps {
  kind: MailKind
  onKind: (kind: MailKind) => void
  wordings: SavedMailWording[]
  /** Words that are not saved; undefined without a change. */
  draft: MailWording | undefined
  onDraft: (draft: MailWording | undefined) => void
  onReload: () => void
}

function Wordings({ kind, onKind, wordings, draft, onDraft, onReload }: WordingsProps) {
  const saved = wordings.find(wording => wording.kind === kind)
  return (
    <>
      <NativeSelect
        label="Kind of mail"
        value={kind}
        onChange={event => onKind(mailKind.parse(event.currentTarget.value))}
        data={groupWordings(wordings)}
        className={styles.choice}
      />
      {saved ? (
        <WordingForm
          // A version that somebody else saved replaces the preview and the refusal.
          key={`${kind} ${saved.language} ${saved.version}`}
          saved={saved}
          draft={draft}
          onDraft={onDraft}
          onReload={() => {
            onDraft(undefined)
            onReload()
          }}
        />
      ) : null}
    </>
  )
}

function groupWordings(wordings: readonly SavedMailWording[]) {
  const groups = Object.entries(mailSubjects).map(([subject, kinds]) => ({
    group: mailSubjectNames[subject as MailSubject],
    items: kinds.flatMap(kind => {
      const wording = wordings.find(saved => saved.kind === kind)
      return wording ? [{ value: kind, label: `${mailNames[kind]}${describeState(wording)}` }] : []
    }),
  }))
  return groups.filter(({ items }) => items.length > 0)
}

function describeState({ language, is_default }: SavedMailWording): string {
  if (language === undefined) return is_default ? '' : ' (changed)'
  return is_default ? ' (not written yet)' : ''
}
