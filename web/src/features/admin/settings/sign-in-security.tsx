import { Button, Group } from '@mantine/core'
import type { SecondFactor } from '@watchline/contracts/second-factors'
import { useRef, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { useKeptFocus } from '../../../ui/controls/use-kept-focus.ts'
import { RelativeTime } from '../../../ui/dates/relative-time.tsx'
import { LoadFailed, SkeletonRows } from '../../../ui/feedback/states.tsx'
import { LocalDate } from '../people/local-date.tsx'
import { useGetSecondFactorsQuery } from '../second-factor/factor-api.ts'
import styles from '../second-factor/second-factor.module.css'
import { AddFactorDialog } from './add-factor-dialog.tsx'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'
import { RemoveFactorDialog } from './remove-factor-dialog.tsx'
import settings from './settings.module.css'

const kindNames = { passkey: 'Passkey', totp: 'Authenticator app' } as const

type OpenDialog = { name: 'add' } | { name: 'codes' } | { name: 'remove'; factor: SecondFactor }

/** The second factors of the signed-in administrator. */
export function SignInSecurity() {
  const section = useRef<HTMLElement>(null)
  useKeptFocus(section)
  const state = useGetSecondFactorsQuery(undefined, { refetchOnMountOrArgChange: true })
  const [dialog, setDialog] = useState<OpenDialog>()
  const close = () => setDialog(undefined)

  return (
    <section ref={section} tabIndex={-1} aria-labelledby="sign-in-security">
      <h2 id="sign-in-security" className={settings.title}>
        Your sign-in security
      </h2>
      {state.error ? (
        <LoadFailed
          message="Couldn’t load your second factors."
          failure={asFailure(state.error)}
          onRetry={state.refetch}
          retrying={state.isFetching}
          oldBelow={state.data !== undefined}
        />
      ) : null}
      {state.isLoading ? <SkeletonRows rows={2} /> : null}
      {state.data?.sign_in === 'provider' ? (
        <p className={settings.dim}>You sign in through the sign-in provider, which also protects your sign-in.</p>
      ) : null}
      {state.data?.sign_in === 'password' ? (
        <>
          <p className={settings.dim}>{describeState(state.data.factors.length, state.data.required)}</p>
          <FactorList factors={state.data.factors} onRemove={factor => setDialog({ name: 'remove', factor })} />
          <Group mt="md">
            <Button variant="default" onClick={() => setDialog({ name: 'add' })}>
              Add a second factor…
            </Button>
            {state.data.factors.length > 0 ? (
              <Button variant="default" onClick={() => setDialog({ name: 'codes' })}>
                New recovery codes…
              </Button>
            ) : null}
          </Group>
          {state.data.factors.length > 0 ? <CodesLeft count={state.data.recovery_codes_left} /> : null}
          <AddFactorDialog opened={dialog?.name === 'add'} onClose={close} />
          <RecoveryCodesDialog opened={dialog?.name === 'codes'} onClose={close} />
          <RemoveFactorDialog
            factor={dialog?.name === 'remove' ? dialog.factor : undefined}
            isLast={state.data.factors.length === 1}
            onClose={close}
          />
        </>
      ) : null}
    </section>
  )
}

function describeState(count: number, isRequired: boolean): string {
  if (count > 0) return 'You sign in with your password and one of these second factors.'
  const hint = 'You sign in with your password only. With a second factor, a stolen password is not enough.'
  return isRequired ? `${hint} Your next sign-in asks you to set one up.` : hint
}

function CodesLeft({ count }: { count: number }) {
  const advice = count <= 2 ? ' Create new ones before they run out.' : ''
  return (
    <p className={styles.codesLeft}>
      {count === 1 ? '1 recovery code is left.' : `${count} recovery codes are left.`}
      {advice}
    </p>
  )
}

function FactorList({ factors, onRemove }: { factors: readonly SecondFactor[]; onRemove: (f: SecondFactor) => void }) {
  if (factors.length === 0) return null
  return (
    <ul className={styles.factors} aria-label="Your second factors">
      {factors.map(factor => (
        <li key={factor.id} className={styles.factor}>
          <div className={styles.factorWords}>
            <p className={styles.factorName}>{factor.name}</p>
            <p className={styles.dim}>
              {kindNames[factor.kind]}, added <LocalDate time={factor.added_at} />
              {factor.last_used_at ? (
                <>
                  , last used <RelativeTime time={factor.last_used_at} inline />
                </>
              ) : (
                ', never used yet'
              )}
            </p>
          </div>
          <Button variant="default" onClick={() => onRemove(factor)} aria-label={`Remove ${factor.name}…`}>
            Remove…
          </Button>
        </li>
      ))}
    </ul>
  )
}
