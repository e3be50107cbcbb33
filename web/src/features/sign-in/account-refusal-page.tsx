import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { AccountRefusal } from '../../api/account-refusal.ts'
import { explainFailure } from '../../api/failure.ts'
import { send } from '../../api/send.ts'
import buttons from '../../ui/controls/plain-button.module.css'
import { PageState } from '../../ui/feedback/page-state.tsx'
import { ScreenTitle } from '../../ui/frame/screen-title.tsx'

const texts: Record<AccountRefusal, { title: string; message: string; consequence: string }> = {
  deactivated: {
    title: 'Account deactivated',
    message: 'Your account is deactivated. Ask your administrator.',
    consequence: 'You are signed out on all devices. What you watched and wrote is kept.',
  },
  account_erased: {
    title: 'Account erased',
    message: 'Your account was erased, and your saved work with it. Ask your administrator.',
    consequence: 'You are signed out on all devices.',
  },
}

/**
 * It stays until the person leaves it, because no sign-in page can help them. Leaving removes the
 * ended session from the browser. Otherwise the sign-in page would lead back here.
 */
export function AccountRefusalPage({ refusal }: { refusal: AccountRefusal }) {
  const navigate = useNavigate()
  const [isLeaving, setLeaving] = useState(false)
  const [problem, setProblem] = useState<string>()
  const { title, message, consequence } = texts[refusal]

  async function leave(): Promise<void> {
    setLeaving(true)
    setProblem(undefined)
    const result = await send({ method: 'POST', path: '/auth/logout' })
    if (result.ok) return navigate('/', { replace: true })
    setProblem(`The ended session could not be removed from this browser. ${explainFailure(result.failure)}`)
    setLeaving(false)
  }

  return (
    <PageState title={title}>
      <ScreenTitle name={title} />
      <p role="alert">{message}</p>
      <p>{consequence}</p>
      <button type="button" className={buttons.quiet} disabled={isLeaving} onClick={() => void leave()}>
        Sign in again
      </button>
      {problem ? <p role="alert">{problem}</p> : null}
    </PageState>
  )
}
