import { limits } from '@watchline/contracts/limits'
import { useEffect, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { accountEndAddress, accountEndOf } from '../../api/account-end.ts'
import { homeOf, type Person } from '../../api/signed-in-person.ts'
import { PageLoading, PageState } from '../../ui/feedback/page-state.tsx'
import { consumeOpenedAddress } from '../../ui/frame/address-before-sign-in.ts'
import { ScreenTitle } from '../../ui/frame/screen-title.tsx'
import { AccountEndPage } from './account-end-page.tsx'
import { exchangeOnce, explainError, readCallback } from './callback.ts'
import { EndOtherSession } from './end-other-session.tsx'
import { endedSessionsIn, type FailedSignIn, failedExchange } from './other-session.ts'

/** The page to which the sign-in provider redirects. */
export function CallbackPage() {
  const location = useLocation()
  const navigate = useNavigate()
  const [callback] = useState(() => readCallback(location))
  const [failure, setFailure] = useState<FailedSignIn | undefined>('message' in callback ? callback : undefined)
  const [accountEnd, setAccountEnd] = useState('accountEnd' in callback ? callback.accountEnd : undefined)

  useEffect(() => {
    if (!('sessionId' in callback)) return
    // Removes the code from address bar and history before anything else can read it.
    window.history.replaceState(window.history.state, '', '/profile')
    let isUnmounted = false
    void exchangeOnce(callback).then(result => {
      if (isUnmounted) return
      if (!result.ok) {
        const end = accountEndOf(result.failure)
        if (!end) return setFailure(failedExchange(callback, result))
        // A reload shows the same.
        window.history.replaceState(window.history.state, '', accountEndAddress(end))
        return setAccountEnd(end)
      }
      const endedSessions = endedSessionsIn(result.body)
      navigate(homeOfAnswer(result.body), {
        replace: true,
        state: endedSessions === undefined ? null : { endedSessions },
      })
    })
    return () => {
      isUnmounted = true
    }
  }, [callback, navigate])

  useEffect(() => {
    if (!('unexplainedError' in callback)) return
    let isUnmounted = false
    void explainError(callback.unexplainedError).then(message => {
      if (!isUnmounted) setFailure({ message })
    })
    return () => {
      isUnmounted = true
    }
  }, [callback])

  useEffect(() => {
    if (failure === undefined) return
    const timer = setTimeout(
      () => navigate('/', { replace: true, state: { signInFailure: failure } }),
      limits.signInErrorRedirectMs,
    )
    return () => clearTimeout(timer)
  }, [failure, navigate])

  if (accountEnd) return <AccountEndPage end={accountEnd} />
  if (failure === undefined)
    return (
      <>
        <ScreenTitle name="Signing in" />
        <PageLoading title="Authenticating" />
      </>
    )
  return (
    <PageState title="You are not signed in">
      <ScreenTitle name="Sign-in failed" />
      <p role="alert">{failure.message}</p>
      <EndOtherSession url={failure.endOtherSessionUrl} />
      <Link to="/" state={{ signInFailure: failure }}>
        Back to sign-in
      </Link>
    </PageState>
  )
}

/**
 * The page of the person who has just signed in: the one that they opened before, or the start
 * page.
 */
function homeOfAnswer(body: unknown): string {
  const { user } = (body ?? {}) as { user?: Pick<Person, 'role'> }
  if (user?.role === 'admin') return homeOf(user)
  return consumeOpenedAddress() ?? (user ? homeOf(user) : '/dashboard')
}
