import { limits } from '@watchline/contracts/limits'
import { useEffect, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { accountRefusalAddress, accountRefusalOf } from '../../api/account-refusal.ts'
import { homeOf, type Person } from '../../api/signed-in-person.ts'
import { PageLoading, PageState } from '../../ui/feedback/page-state.tsx'
import { consumeOpenedAddress } from '../../ui/frame/address-before-sign-in.ts'
import { ScreenTitle } from '../../ui/frame/screen-title.tsx'
import { AccountRefusalPage } from './account-refusal-page.tsx'
import { exchangeOnce, explainError, findPageAfterRefusal, readCallback } from './callback.ts'
import { EndOtherSession } from './end-other-session.tsx'
import { endedSessionsIn, type FailedSignIn, failedExchange } from './other-session.ts'

/** The page to which the sign-in provider redirects. */
export function CallbackPage() {
  const location = useLocation()
  const navigate = useNavigate()
  const [callback] = useState(() => readCallback(location))
  const [failure, setFailure] = useState<FailedSignIn | undefined>('message' in callback ? callback : undefined)
  const [refusal, setRefusal] = useState('accountRefusal' in callback ? callback.accountRefusal : undefined)

  useEffect(() => {
    if (!('sessionId' in callback)) return
    // Removes the code from address bar and history before anything else can read it.
    window.history.replaceState(window.history.state, '', '/profile')
    let isUnmounted = false
    void exchangeOnce(callback).then(result => {
      if (isUnmounted) return
      if (!result.ok) {
        const accountRefusal = accountRefusalOf(result.failure)
        if (!accountRefusal) return setFailure(failedExchange(callback, result))
        // A reload asks whether the account still is refused.
        window.history.replaceState(window.history.state, '', accountRefusalAddress(accountRefusal))
        return setRefusal(accountRefusal)
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
    if (!('accountRefusal' in callback)) return
    let isUnmounted = false
    void findPageAfterRefusal(callback.accountRefusal).then(page => {
      if (!isUnmounted && page !== undefined) navigate(page, { replace: true })
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

  if (refusal) return <AccountRefusalPage refusal={refusal} />
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
