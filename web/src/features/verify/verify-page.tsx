import { limits } from '@watchline/contracts/limits'
import { type Verification, verifyRecord } from '@watchline/contracts/records'
import { type DragEvent, type FormEvent, useRef, useState } from 'react'
import { callOperation } from '../../api/call-operation.ts'
import { explainFailure } from '../../api/failure.ts'
import buttons from '../../ui/controls/plain-button.module.css'
import { PublicPage } from '../../ui/frame/public-page.tsx'
import { VerificationResult } from './verification-result.tsx'
import styles from './verify.module.css'

type Query = { code: string } | { document: string }

/** Tells anybody whether a record or certificate is genuine, by its code or its JSON file. */
export function VerifyPage() {
  const { verify, result, problem, isChecking, refuse, clear } = useVerification()
  const [code, setCode] = useState('')
  /** An outcome must not stand beside the code of another document. */
  function changeCode(newCode: string) {
    if (!isChecking) clear()
    setCode(newCode)
  }
  return (
    <PublicPage name="Verify a record" heading="Verify a record or certificate">
      <p>
        Find out whether a document was issued here and is unchanged. Nobody needs to sign in, and the document is not
        stored.
      </p>
      <CodeForm
        code={code}
        onCode={changeCode}
        isChecking={isChecking}
        onSubmit={() => verify({ code: code.slice(0, 64) })}
        onRefuse={refuse}
      />
      <FileField
        isChecking={isChecking}
        onText={async document => {
          if (await verify({ document })) setCode('')
        }}
        onRefuse={refuse}
      />
      <div aria-live="polite" className={styles.outcome}>
        {isChecking ? <p>Checking…</p> : null}
        {problem ? <p className={styles.problem}>{problem}</p> : null}
        {result ? <VerificationResult verification={result} /> : null}
      </div>
    </PublicPage>
  )
}

function useVerification() {
  const [outcome, setOutcome] = useState<{ result?: Verification; problem?: string }>({})
  const [isChecking, setChecking] = useState(false)
  /** A file is read before it is checked, and meanwhile a code may be sent. */
  const isBusy = useRef(false)
  /** False: another check has not ended, and this one did not begin. */
  async function verify(body: Query): Promise<boolean> {
    if (isBusy.current) return false
    isBusy.current = true
    setOutcome({})
    setChecking(true)
    const answer = await callOperation(verifyRecord, { body })
    isBusy.current = false
    setChecking(false)
    const isBadCode = !answer.ok && answer.status === 422 && 'code' in body
    if (answer.ok) setOutcome({ result: answer.data })
    else setOutcome({ problem: isBadCode ? badCode : `The document could not be checked. ${explainFailure(answer)}` })
    return true
  }
  return {
    verify,
    isChecking,
    refuse: (problem: string) => setOutcome({ problem }),
    clear: () => setOutcome({}),
    ...outcome,
  }
}

const badCode = 'A code has 20 letters and digits. Compare it with the document.'

interface InputProps {
  isChecking: boolean
  /** Shows why the input cannot be checked. */
  onRefuse: (problem: string) => void
}

interface CodeFormProps extends InputProps {
  code: string
  onCode: (code: string) => void
  onSubmit: () => void
}

function CodeForm({ code, onCode, isChecking, onSubmit, onRefuse }: CodeFormProps) {
  function submit(event: FormEvent) {
    event.preventDefault()
    if (code.trim() === '') return onRefuse('Enter the code, or choose the file.')
    onSubmit()
  }
  return (
    <form className={styles.code} onSubmit={submit}>
      <label htmlFor="code">Code on the document</label>
      <div className={styles.row}>
        <input
          id="code"
          className={styles.input}
          value={code}
          placeholder="ABCDE-FGHJK-MNPQR-STVWX"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          onChange={event => onCode(event.currentTarget.value)}
        />
        <button type="submit" className={buttons.primary} aria-disabled={isChecking}>
          Verify
        </button>
      </div>
    </form>
  )
}

function FileField({ isChecking, onText, onRefuse }: InputProps & { onText: (text: string) => Promise<void> }) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)

  async function read(file: File | undefined) {
    if (!file || isChecking) return
    // A code point has at most four bytes.
    if (file.size > 4 * limits.recordFileMaxLength) return onRefuse(tooLarge)
    const text = await file.text()
    if (text.startsWith('%PDF')) return onRefuse('This is a PDF. Enter the code that is printed on it.')
    if (text.length > limits.recordFileMaxLength) return onRefuse(tooLarge)
    await onText(text || ' ')
  }
  function drop(event: DragEvent) {
    event.preventDefault()
    setOver(false)
    void read(event.dataTransfer.files[0])
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut for the button inside
    <div
      className={isOver ? `${styles.drop} ${styles.over}` : styles.drop}
      onDragOver={event => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <p>
        To verify the whole document, drop its <strong>JSON file</strong> here.
      </p>
      <button type="button" className={buttons.quiet} onClick={() => input.current?.click()}>
        Choose file
      </button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        aria-label="JSON file of the document"
        hidden
        onChange={event => {
          void read(event.currentTarget.files?.[0])
          // The same file can be chosen again.
          event.currentTarget.value = ''
        }}
      />
    </div>
  )
}

const tooLarge = 'This file is larger than any document of Watchline.'
