import type { signInOptions } from '@watchline/contracts/auth'
import type { ResponseOf } from '@watchline/contracts/operation'
import { useEffect, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { accountRefusalAddress } from '../../api/account-refusal.ts'
import { apiUrl } from '../../api/api-url.ts'
import { readAccountKind } from '../../api/cookies.ts'
import { send } from '../../api/send.ts'
import { homeOf, loadSession } from '../../api/signed-in-person.ts'
import buttons from '../../ui/controls/plain-button.module.css'
import { Logo } from '../../ui/frame/logo.tsx'
import { privacyAddress } from '../../ui/frame/privacy-address.ts'
import { ScreenTitle } from '../../ui/frame/screen-title.tsx'
import { WatchStrip } from '../../ui/progress/watch-strip.tsx'
import { EndOtherSession } from './end-other-session.tsx'
import type { FailedSignIn } from './other-session.ts'
import styles from './sign-in.module.css'

/** The sign-in page. A signed-in person is redirected to their work. */
export function SignInPage() {
  const navigate = useNavigate()
  const provider = useProvider()
  const failure = useSignInFailure()

  useEffect(() => {
    // Most visitors of this page have no session, and a refused call is an error in the console.
    if (!readAccountKind()) return
    let isUnmounted = false
    void loadSession().then(session => {
      if (isUnmounted || !session.ok) return
      if (session.person) navigate(homeOf(session.person), { replace: true })
      else if (session.accountRefusal) navigate(accountRefusalAddress(session.accountRefusal), { replace: true })
    })
    return () => {
      isUnmounted = true
    }
  }, [navigate])

  return (
    <div className={styles.page}>
      <ScreenTitle name="Sign in" />
      <main id="main" tabIndex={-1} className={styles.entrance}>
        <div className={styles.words}>
          <p className={styles.brand}>
            <Logo size={40} /> Watchline
          </p>
          <h1 className={styles.title}>Know who watched what.</h1>
          <p className={styles.sentence}>
            Watch the training assigned to you, pick up where you stopped, and have every minute counted once and
            fairly.
          </p>
          {failure ? (
            <p role="alert" className={styles.failed}>
              {failure.message}
            </p>
          ) : null}
          <EndOtherSession url={failure?.endOtherSessionUrl} />
          {provider.state === 'failed' ? (
            <p role="alert" className={styles.failed}>
              Watchline cannot be reached right now. Signing in may not work until it is back.
            </p>
          ) : null}
          {provider.offered.map(({ id, name }, index) => (
            <a
              // The first link keeps the focus when its name arrives.
              key={index === 0 ? 'first' : name}
              className={index === 0 ? buttons.primary : buttons.quiet}
              href={apiUrl(id === undefined ? '/auth/signin' : `/auth/signin?provider=${encodeURIComponent(id)}`)}
            >
              Sign in with {name}
            </a>
          ))}
          {provider.development ? (
            <p className={styles.note}>This is a trial system: the next page lets you choose any account.</p>
          ) : null}
          <button type="button" className={buttons.quiet} onClick={() => navigate('/admin')}>
            Admin Access
          </button>
          <Link className={styles.privacy} to={privacyAddress}>
            Privacy
          </Link>
          <Link className={styles.privacy} to="/verify">
            Verify a record
          </Link>
        </div>
      </main>
      <QuietPicture />
    </div>
  )
}

/** The reason that the last attempt failed. It stays until the next one, but not after a reload. */
function useSignInFailure(): FailedSignIn | undefined {
  const navigate = useNavigate()
  const { state } = useLocation() as { state: { signInFailure?: FailedSignIn } | null }
  const [failure] = useState(state?.signInFailure)
  useEffect(() => {
    if (failure) navigate('/', { replace: true, state: null })
  }, [failure, navigate])
  return failure
}

type SignInOptions = ResponseOf<typeof signInOptions>

interface ProviderOptions {
  state: 'loading' | 'known' | 'failed'
  /** Without an id, the server chooses its first provider. */
  offered: { id?: string; name: string }[]
  development?: boolean
}

const unknownProvider = [{ name: 'your organisation' }]

function useProvider(): ProviderOptions {
  const [provider, setProvider] = useState<ProviderOptions>({ state: 'loading', offered: unknownProvider })
  useEffect(() => {
    let isUnmounted = false
    void send({ method: 'GET', path: '/auth/options' }).then(result => {
      if (isUnmounted) return
      if (!result.ok) return setProvider({ state: 'failed', offered: unknownProvider })
      const { provider, providers = [], development } = (result.body ?? {}) as Partial<SignInOptions>
      // The address of the only provider stays as it was, for bookmarks and for older servers.
      const only = provider === undefined ? unknownProvider : [{ name: provider }]
      setProvider({ state: 'known', offered: providers.length > 1 ? providers : only, development })
    })
    return () => {
      isUnmounted = true
    }
  }, [])
  return provider
}

const exampleVideos = [
  { title: 'Fire safety', length: 640, ranges: [{ from: 0, to: 640 }], ticks: [95, 412] },
  {
    title: 'Lifting and carrying',
    length: 480,
    ranges: [
      { from: 0, to: 130 },
      { from: 185, to: 429 },
    ],
    ticks: [210],
  },
  { title: 'First aid', length: 900, ranges: [{ from: 0, to: 254 }], playhead: 254, ticks: [] },
]

/** A picture of what supervisor and trainee both see: three partly watched videos. */
function QuietPicture() {
  return (
    <div className={styles.picture} aria-hidden="true">
      <div className={styles.card}>
        {exampleVideos.map(({ title, ...strip }) => (
          <div key={title} className={styles.video}>
            <span>{title}</span>
            <WatchStrip {...strip} size="large" />
          </div>
        ))}
      </div>
    </div>
  )
}
