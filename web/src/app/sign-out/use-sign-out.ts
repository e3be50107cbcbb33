import { logout, logoutAdmin } from '@watchline/contracts/auth'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { mustAskBeforeSignOut } from '../../api/before-sign-out.ts'
import { callOperation } from '../../api/call-operation.ts'
import { leavePage } from '../../api/leave-page.ts'
import type { Person } from '../../api/signed-in-person.ts'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import { clearPersonDataInAllTabs } from './clear-person-data.ts'

/** The reason why the person is asked before they are signed out. */
export type SignOutQuestion = { reason: 'watching' } | { reason: 'unsent'; count: number }

/** Signs the person out: first sends what waits, then ends the session and clears this browser. */
export function useSignOut(person: Person) {
  const navigate = useNavigate()
  const alerts = useAlerts()
  const [question, setQuestion] = useState<SignOutQuestion>()
  const [isSigningOut, setSigningOut] = useState(false)

  /** `answered`: the question that the person has answered with yes. */
  async function signOut(answered?: SignOutQuestion['reason']): Promise<void> {
    if (answered === undefined && mustAskBeforeSignOut()) return setQuestion({ reason: 'watching' })
    setSigningOut(true)
    const { sendUnsent } = await import('./send-unsent.ts')
    const count = await sendUnsent(person.id)
    if (count > 0 && answered !== 'unsent') setQuestion({ reason: 'unsent', count })
    else await endSession()
    setSigningOut(false)
  }

  async function endSession(): Promise<void> {
    const answer = await callOperation(person.role === 'admin' ? logoutAdmin : logout, {})
    setQuestion(undefined)
    if (!answer.ok && answer.status !== 401) {
      alerts.fail('You could not be signed out. Please try again.', answer)
      return
    }
    clearPersonDataInAllTabs(person.id)
    if (answer.ok && answer.data.sign_out_url !== undefined) leavePage.to(answer.data.sign_out_url)
    else navigate('/', { replace: true })
  }

  return { question, isSigningOut, signOut, stay: () => setQuestion(undefined) }
}
