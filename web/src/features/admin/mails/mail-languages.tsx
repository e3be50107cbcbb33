import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import {
  findLanguageTag,
  type MailLanguages as Languages,
  type SavedMailLanguages,
} from '@watchline/contracts/mail-languages'
import { useRef, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { nameLanguage } from '../../../ui/dates/language-name.ts'
import { RelativeTime } from '../../../ui/dates/relative-time.tsx'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { LoadFailed, SkeletonRows } from '../../../ui/feedback/states.tsx'
import { useSending } from '../../../ui/hooks/use-sending.ts'
import { FormError } from '../sign-in/password-form-frame.tsx'
import { commonLanguages } from './common-languages.ts'
import styles from './mail-settings.module.css'
import { useGetMailLanguagesQuery, useSaveMailLanguagesMutation } from './mail-settings-api.ts'

/** The languages in which mails have words. */
export function MailLanguages() {
  const { data, error, isFetching, refetch } = useGetMailLanguagesQuery(undefined, { refetchOnMountOrArgChange: true })
  return (
    <section aria-labelledby="mail-languages" className={styles.section}>
      <div>
        <h2 id="mail-languages" className={styles.title}>
          Languages of mails
        </h2>
        <p className={styles.dim}>
          Mails can have words in several languages. People choose theirs in their menu. Without a choice they get the
          default language, and so they do if a mail has no words in theirs.
        </p>
      </div>
      {error ? (
        <LoadFailed
          message="Couldn’t load the languages."
          failure={asFailure(error)}
          onRetry={refetch}
          retrying={isFetching}
          oldBelow={data !== undefined}
        />
      ) : null}
      {data ? <LanguagesForm saved={data} onReload={refetch} /> : error ? null : <SkeletonRows rows={1} height={96} />}
    </section>
  )
}

function LanguagesForm({ saved, onReload }: { saved: SavedMailLanguages; onReload: () => void }) {
  const alerts = useAlerts()
  const { isSending, refusal, send } = useSending()
  const [saveLanguages] = useSaveMailLanguagesMutation()
  const choice = useRef<HTMLSelectElement>(null)
  const { default_language, languages, version } = saved
  const missing = commonLanguages.filter(tag => tag !== default_language && !languages.includes(tag))

  async function save(changed: Partial<Languages>, words: string): Promise<boolean> {
    const body = { default_language, languages, ...changed, version }
    if (!(await send(() => saveLanguages({ body }), 'Failed to save the languages'))) return false
    alerts.succeed(words, 'It applies from the next mail on.')
    onReload()
    return true
  }

  async function remove(removed: string) {
    const changed = { languages: languages.filter(tag => tag !== removed) }
    if (await save(changed, `${nameLanguage(removed)} is removed`)) choice.current?.focus()
  }

  return (
    <div className={styles.form}>
      <NativeSelect
        label="Default language"
        description="The language of people without a choice. Each language keeps its words if you change it."
        value={default_language}
        aria-disabled={isSending}
        data={[...new Set([default_language, ...missing])].map(tag => ({ value: tag, label: nameLanguage(tag) }))}
        onChange={event => void save({ default_language: event.currentTarget.value }, 'The default language is saved')}
        className={styles.choice}
      />
      {languages.length > 0 ? (
        <ul className={styles.dates} aria-label="Further languages">
          {languages.map(tag => (
            <li key={tag}>
              {nameLanguage(tag)}
              <Button
                variant="subtle"
                size="compact-sm"
                aria-disabled={isSending}
                onClick={() => void remove(tag)}
                aria-label={`Remove ${nameLanguage(tag)}`}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      <AddLanguage
        ref={choice}
        tags={missing}
        isFull={languages.length >= limits.mailLanguagesMax}
        onAdd={tag => save({ languages: [...languages, tag] }, `${nameLanguage(tag)} is added`)}
      />
      {languages.length > 0 ? (
        <p className={styles.dim}>The words of a removed language are back when you add it again.</p>
      ) : null}
      {refusal ? <FormError>{refusal.message}</FormError> : null}
      {refusal?.failure.code === 'edited_elsewhere' ? (
        <Group>
          <Button onClick={onReload}>Load the saved languages</Button>
        </Group>
      ) : null}
      {saved.updated_at ? (
        <p className={styles.dim}>
          Last changed by {saved.updated_by} <RelativeTime time={saved.updated_at} inline />
        </p>
      ) : null}
    </div>
  )
}

interface AddLanguageProps {
  ref: React.Ref<HTMLSelectElement>
  tags: readonly string[]
  isFull: boolean
  /** Resolves to whether it was added. */
  onAdd: (tag: string) => Promise<boolean>
}

const anotherTag = 'another'

function AddLanguage({ ref, tags, isFull, onAdd }: AddLanguageProps) {
  const [chosen, setChosen] = useState('')
  const [text, setText] = useState('')
  const tag = chosen === anotherTag ? findLanguageTag(text) : chosen
  const isUnknown = chosen === anotherTag && text !== '' && tag === undefined

  async function add() {
    if (!tag || !(await onAdd(tag))) return
    setChosen('')
    setText('')
  }

  return (
    <Group align="end">
      <NativeSelect
        ref={ref}
        label="Add a language"
        value={chosen}
        onChange={event => setChosen(event.currentTarget.value)}
        data={[
          { value: '', label: 'Choose a language' },
          ...tags.map(value => ({ value, label: nameLanguage(value) })),
          { value: anotherTag, label: 'Another language…' },
        ]}
        className={styles.choice}
      />
      {chosen === anotherTag ? (
        <TextInput
          label="Language tag (BCP 47), such as pt-BR"
          value={text}
          error={isUnknown ? 'This tag is not known.' : undefined}
          onChange={event => setText(event.currentTarget.value)}
        />
      ) : null}
      <Button variant="default" onClick={() => void add()} disabled={!tag || isFull}>
        Add language
      </Button>
    </Group>
  )
}
