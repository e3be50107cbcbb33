import type { MailParagraph, MailPreview } from '@watchline/contracts/mail-settings'
import { Fragment } from 'react'
import styles from './mail-settings.module.css'

interface WordingPreviewProps {
  name: string
  /** Undefined for the default language. */
  language: string | undefined
  preview: MailPreview
}

/**
 * A mail as its recipient sees it. It shows the paragraphs from which the server makes the HTML,
 * because the page displays no HTML of others.
 */
export function WordingPreview({ name, language, preview }: WordingPreviewProps) {
  return (
    <section aria-label={`Preview: ${name}`} className={styles.preview}>
      <p className={styles.dim}>An example of the mail. Nothing is sent.</p>
      <div className={styles.mail}>
        <div lang={language} dir="auto">
          <p className={styles.subject}>{preview.subject}</p>
          <Paragraphs paragraphs={preview.paragraphs} />
        </div>
        <hr />
        <div className={styles.footer} dir="auto">
          <Paragraphs paragraphs={preview.footer} />
        </div>
      </div>
      <details>
        <summary>Text part</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, also by keyboard */}
        <pre tabIndex={0}>{preview.text}</pre>
      </details>
      <details>
        <summary>Source of the HTML part</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, also by keyboard */}
        <pre tabIndex={0}>{preview.html}</pre>
      </details>
    </section>
  )
}

function Paragraphs({ paragraphs }: { paragraphs: readonly MailParagraph[] }) {
  return paragraphs.map((paragraph, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: paragraphs have no id, and do not move
    <Fragment key={index}>
      {'button' in paragraph ? (
        <p>
          <span className={styles.button}>{paragraph.button.label}</span>
        </p>
      ) : (
        <p className={styles.lines}>{paragraph.lines.map(line => line.map(({ text }) => text).join('')).join('\n')}</p>
      )}
    </Fragment>
  ))
}
