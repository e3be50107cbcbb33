import { Button, PasswordInput, Stack } from '@mantine/core'
import { acceptAdminInvitation, checkAdminInvitation } from '@watchline/contracts/administrators'
import { limits } from '@watchline/contracts/limits'
import type { ResponseOf } from '@watchline/contracts/operation'
import { type FormEvent, useCallback, useEffect, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { type Answer, callOperation } from '../../../api/call-operation.ts'
import { explainFailure } from '../../../api/failure.ts'
import { PageLoading, PageState } from '../../../ui/feedback/page-state.tsx'
import { LoadFailed } from '../../../ui/feedback/states.tsx'
import styles from './password-form-frame.module.css'
import { FormError, PasswordFormFrame } from './password-form-frame.tsx'

type Invitation = ResponseOf<typeof checkAdminInvitation>

/** The page of an invitation's link: the invited person sets their own password. */
export function AcceptInvitation({ token }: { token: string }) {
  const [check, setCheck] = useState<Answer<Invitation>>()
  const [isChecking, setChecking] = useState(false)

  const runCheck = useCallback(async () => {
    setChecking(true)
    setCheck(await callOperation(checkAdminInvitation, { body: { token } }))
    setChecking(false)
  }, [token])
  useEffect(() => {
    void runCheck()
  }, [runCheck])

  if (!check) return <PageLoading />
  if (check.ok) return <PasswordForm token={token} invitation={check.data} />
  if (check.code === 'invalid_invitation' || check.code === 'invalid')
    return (
      <PageState title="This invitation is no longer valid">
        <p>It was used or withdrawn, or it is older than three days. Ask the administrator who invited you.</p>
        <Link to="/admin">To the admin sign-in</Link>
      </PageState>
    )
  return (
    <PageState title="Watchline cannot be reached">
      <LoadFailed
        message="The invitation could not be opened. Please try again."
        failure={check}
        onRetry={runCheck}
        retrying={isChecking}
      />
    </PageState>
  )
}

function PasswordForm({ token, invitation }: { token: string; invitation: Invitation }) {
  const navigate = useNavigate()
  const [password, setPassword] = useState('')
  const [confirmation, setConfirmation] = useState('')
  const [errors, setErrors] = useState<{ password?: string; confirmation?: string }>({})
  const [refusal, setRefusal] = useState<string>()
  const [state, setState] = useState<'editing' | 'sending' | 'done'>('editing')

  useEffect(() => {
    if (state !== 'done') return
    const timer = setTimeout(() => navigate('/admin', { replace: true }), limits.adminSetupRedirectMs)
    return () => clearTimeout(timer)
  }, [state, navigate])

  async function submit(event: FormEvent) {
    event.preventDefault()
    const isShort = password.length < limits.passwordMinLength
    const fieldErrors = {
      ...(isShort && { password: `Password must be at least ${limits.passwordMinLength} characters long` }),
      ...(confirmation !== password && { confirmation: 'Passwords do not match' }),
    }
    setErrors(fieldErrors)
    setRefusal(undefined)
    if (Object.keys(fieldErrors).length > 0) return
    setState('sending')
    const answer = await callOperation(acceptAdminInvitation, { body: { token, password } })
    if (answer.ok) return setState('done')
    setRefusal(explainFailure(answer))
    setState('editing')
  }

  if (state === 'done')
    return (
      <PageState title="Your account is ready">
        <p role="status">Redirecting to login...</p>
      </PageState>
    )
  return (
    <PasswordFormFrame title="Become an administrator">
      <form onSubmit={submit} noValidate>
        <Stack>
          <p className={styles.text}>
            {invitation.name}, you are invited to administer Watchline. Set a password for {invitation.email}.
          </p>
          {/* Password managers need the account of this password. */}
          <input type="text" autoComplete="username" value={invitation.email} readOnly hidden />
          <PasswordInput
            label="Password"
            description={`At least ${limits.passwordMinLength} characters`}
            autoComplete="new-password"
            required
            withAsterisk={false}
            value={password}
            error={errors.password}
            onChange={event => setPassword(event.currentTarget.value)}
          />
          <PasswordInput
            label="Confirm password"
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show confirmed password', tabIndex: 0 }}
            required
            withAsterisk={false}
            value={confirmation}
            error={errors.confirmation}
            onChange={event => setConfirmation(event.currentTarget.value)}
          />
          {refusal ? <FormError>{refusal}</FormError> : null}
          <Button type="submit" size="md" loading={state === 'sending'}>
            Create my account
          </Button>
        </Stack>
      </form>
    </PasswordFormFrame>
  )
}
