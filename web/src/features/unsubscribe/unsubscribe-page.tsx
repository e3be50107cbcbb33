import { unsubscribe } from '@watchline/contracts/mail'
import { useState } from 'react'
import { useLocation } from 'react-router'
import { callOperation } from '../../api/call-operation.ts'
import { explainFailure } from '../../api/failure.ts'
import buttons from '../../ui/controls/plain-button.module.css'
import { PublicPage } from '../../ui/frame/public-page.tsx'
import styles from './unsubscribe.module.css'

/**
 * The page behind the link in a mail, also for people who are not signed in. As the sign-in page,
 * it has no store.
 */
export function UnsubscribePage() {
  const token = new URLSearchParams(useLocation().hash.slice(1)).get('token') ?? ''
  const [state, setState] = useState<'asking' | 'sending' | 'done'>('asking')
  const [problem, setProblem] = useState(token ? '' : 'This link is not complete. Open it from the mail again.')
  const isDone = state === 'done'

  async function confirm() {
    if (state === 'sending') return
    setState('sending')
    setProblem('')
    const answer = await callOperation(unsubscribe, { query: { token }, body: {} })
    setState(answer.ok ? 'done' : 'asking')
    if (!answer.ok) setProblem(explainFailure(answer))
  }

  return (
    <PublicPage name="Mails" heading={isDone ? 'You get no more mails of this kind' : 'No more mails of this kind?'}>
      <p>
        {isDone
          ? 'You still see these notifications in Watchline. To get the mails again, choose them in your menu.'
          : 'Other mails stay as you chose them. You still see these notifications in Watchline.'}
      </p>
      {isDone || !token ? null : (
        <button type="button" className={`${buttons.primary} ${styles.button}`} onClick={confirm}>
          {state === 'sending' ? 'Saving…' : 'End these mails'}
        </button>
      )}
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
    </PublicPage>
  )
}
