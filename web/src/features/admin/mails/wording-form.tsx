import { Button, Group, Textarea, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { isRequiredMailKind, type MailKind } from '@watchline/contracts/mail'
import { builtInLanguage } from '@watchline/contracts/mail-languages'
import {
  isCasePlaceholder,
  type MailPreview,
  type MailWording,
  mayHaveFallback,
  type SavedMailWording,
  writePlaceholder,
} from '@watchline/contracts/mail-settings'
import { useState } from 'react'
import { nameLanguage } from '../../../ui/dates/language-name.ts'
import { RelativeTime } from '../../../ui/dates/relative-time.tsx'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useSending } from '../../../ui/hooks/use-sending.ts'
import { FormError } from '../sign-in/password-form-frame.tsx'
import { mailNames, placeholderMeanings } from './mail-names.ts'
import styles from './mail-settings.module.css'
import { usePreviewMailWordingMutation, useSaveMailWordingMutation } from './mail-settings-api.ts'
import { WordingPreview } from './wording-preview.tsx'

interface WordingFormProps {
  saved: SavedMailWording
  /** Words that are not saved; undefined without a change. */
  draft: MailWording | undefined
  onDraft: (draft: MailWording | undefined) => void
  onReload: () => void
}

/**
 * Edits the words of one kind of mail in a language, shows an example, and restores the default
 * words.
 */
export function WordingForm({ saved, draft, onDraft, onReload }: WordingFormProps) {
  const alerts = useAlerts()
  const { isSending, refusal, clearRefusal, send } = useSending()
  const [saveWording] = useSaveMailWordingMutation()
  const [previewWording] = usePreviewMailWordingMutation()
  const [preview, setPreview] = useState<MailPreview>()
  const { kind, language, version } = saved
  const target = { params: { kind }, query: language === undefined ? {} : { language } }
  const words: MailWording = draft ?? selectWords(saved)
  const hasOwnDefault = language === undefined || language === builtInLanguage
  const isChanged = fields.some(field => words[field] !== saved[field])
  const problem = refusal?.failure.errors?.[0]
  const problemField = fields.find(field => problem?.path.split('.').at(-1) === field)
  const errorOf = (field: keyof MailWording) => (problemField === field ? sentenceOf(problem!.message) : undefined)

  function change(field: keyof MailWording, value: string) {
    onDraft(selectWords({ ...words, [field]: value }))
    // It shows other words.
    setPreview(undefined)
    clearRefusal()
  }

  async function showPreview() {
    const result = await send(() => previewWording({ ...target, body: words }), 'Couldn’t show the preview.')
    if (result) setPreview(result)
  }

  async function save(wording: MailWording | null) {
    const call = () => saveWording({ ...target, body: { wording, version } })
    if (!(await send(call, 'Failed to save the words'))) return
    if (wording) alerts.succeed('The words are saved', 'They apply from the next mail on.')
    else if (hasOwnDefault) alerts.succeed('The default words are back', 'They apply from the next mail on.')
    else alerts.succeed('The words are removed', 'The next mail has those of the default language.')
    onReload()
  }

  const nameWithFallback = saved.placeholders.find(mayHaveFallback)

  return (
    <div className={styles.form}>
      {language !== undefined && saved.is_default ? (
        <p className={styles.dim}>
          This mail has no words in {nameLanguage(language)} yet. Until you save some, it has those{' '}
          {language === builtInLanguage ? 'that come with Watchline' : 'of the default language'}.
        </p>
      ) : null}
      <TextInput
        label="Subject"
        value={words.subject}
        maxLength={limits.mailSubjectMaxLength}
        error={errorOf('subject')}
        onChange={event => change('subject', event.currentTarget.value)}
      />
      <Textarea
        label="Text"
        description="A blank line begins a paragraph."
        rows={9}
        resize="vertical"
        value={words.text}
        maxLength={limits.mailTextMaxLength}
        error={errorOf('text')}
        onChange={event => change('text', event.currentTarget.value)}
      />
      <TextInput
        label="Words on the button"
        value={words.link_label}
        maxLength={limits.mailLinkLabelMaxLength}
        error={errorOf('link_label')}
        onChange={event => change('link_label', event.currentTarget.value)}
      />
      <Textarea
        label="End of the mail"
        description={describeFooter(kind)}
        rows={3}
        resize="vertical"
        value={words.footer ?? ''}
        maxLength={limits.mailFooterMaxLength}
        error={errorOf('footer')}
        onChange={event => change('footer', event.currentTarget.value)}
      />
      <details className={styles.placeholders}>
        <summary>Placeholders of this mail</summary>
        <dl>
          {saved.placeholders.map(name => (
            <div key={name}>
              <dt>
                <code>{writePlaceholder(name)}</code>
              </dt>
              <dd>
                {placeholderMeanings[name]}
                {name === 'link' ? ' (required in the text)' : null}
                {mayHaveFallback(name) ? ' (optional)' : null}
              </dd>
            </div>
          ))}
        </dl>
        {nameWithFallback ? (
          <p className={styles.dim}>
            Some mails lack an optional value, for example the name of a deleted person. They show “–”, or in English
            “Somebody”, “no due date” or “all time”. To show other words, write them after a colon:{' '}
            <code>{`{${nameWithFallback}:…}`}</code>.
          </p>
        ) : null}
        {saved.placeholders.some(isCasePlaceholder) ? (
          <p className={styles.dim}>
            Placeholders with cases need one text for each case, in the order shown, with <code>|</code> between them.
            The mail shows the text that applies.
          </p>
        ) : null}
        <p className={styles.dim}>
          <code>{'{title}'}</code> and <code>{'{message}'}</code> are in English. In another language, write your own
          sentence instead.
        </p>
        <p className={styles.dim}>
          For a brace itself, write <code>{'{{'}</code> or <code>{'}}'}</code>.
        </p>
      </details>
      {refusal && !problemField ? <FormError>{refusal.message}</FormError> : null}
      <Group>
        <Button variant="default" onClick={showPreview} aria-disabled={isSending}>
          Show a preview
        </Button>
        {refusal?.failure.code === 'edited_elsewhere' ? (
          <Button onClick={onReload}>Load the saved words</Button>
        ) : (
          <Button onClick={() => save(words)} disabled={!isChanged} aria-disabled={isSending}>
            Save the words
          </Button>
        )}
        {saved.is_default ? null : (
          <Button variant="default" onClick={() => save(null)} aria-disabled={isSending}>
            {hasOwnDefault ? 'Restore the default words' : 'Remove these words'}
          </Button>
        )}
      </Group>
      {saved.updated_at ? (
        <p className={styles.dim}>
          Last changed by {saved.updated_by} <RelativeTime time={saved.updated_at} inline />
        </p>
      ) : null}
      {preview ? <WordingPreview name={mailNames[kind]} language={language} preview={preview} /> : null}
    </div>
  )
}

const fields = ['subject', 'text', 'link_label', 'footer'] as const

/** Without an own end, the mail has the English one. */
function selectWords({ subject, text, link_label, footer }: MailWording): MailWording {
  return { subject, text, link_label, ...(footer && { footer }) }
}

function describeFooter(kind: MailKind): string {
  const empty = 'Empty: the reason of the mail and how to turn it off, in English.'
  return isRequiredMailKind(kind)
    ? empty
    : `${empty} Your own end must contain {unsubscribe}, the link that ends these mails.`
}

function sentenceOf(message: string): string {
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}`
  return sentence.endsWith('.') ? sentence : `${sentence}.`
}
