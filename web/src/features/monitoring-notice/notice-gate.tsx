import { Button, Group, Stack } from '@mantine/core'
import { Link } from 'react-router'
import { asFailure } from '../../api/failure.ts'
import { formatExactTime } from '../../ui/dates/format.ts'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import { LoadFailed, SkeletonRows } from '../../ui/feedback/states.tsx'
import { privacyAddress } from '../../ui/frame/privacy-address.ts'
import { ScreenTitle } from '../../ui/frame/screen-title.tsx'
import styles from './notice.module.css'
import { useAnswerMonitoringNoticeMutation, useGetMonitoringNoticeQuery } from './notice-api.ts'

interface NoticeGateProps {
  /** The session may start now. */
  onAccepted: () => void
  onLeave: () => void
}

/** The organisation's notice, in the place of a monitored session that it holds up. */
export function NoticeGate({ onAccepted, onLeave }: NoticeGateProps) {
  const alerts = useAlerts()
  const { data, error, isFetching, refetch } = useGetMonitoringNoticeQuery(undefined, {
    refetchOnMountOrArgChange: true,
  })
  const [answer, call] = useAnswerMonitoringNoticeMutation()

  async function send(accepted: boolean) {
    if (!data) return
    const { error: refusal } = await answer({ body: { version: data.version, accepted } })
    if (refusal) alerts.fail('Your answer could not be saved', asFailure(refusal))
    else if (accepted) onAccepted()
    else onLeave()
  }

  if (error)
    return (
      <LoadFailed
        message="Couldn’t load the notice about monitored sessions."
        failure={asFailure(error)}
        retrying={isFetching}
        onRetry={refetch}
      />
    )
  if (!data) return <SkeletonRows rows={4} />
  /** The pressed button shows that the answer is being sent; the other one waits. */
  const busyState = (accepted: boolean) => {
    const isPressed = call.isLoading && call.originalArgs?.body.accepted === accepted
    return { loading: isPressed, 'data-disabled': call.isLoading && !isPressed }
  }
  const asksForConsent = data.mode === 'consent'
  return (
    <section className={styles.notice} aria-labelledby="monitoring-notice">
      <ScreenTitle name="Before you start" />
      <Stack>
        <h1 id="monitoring-notice">Before you start</h1>
        {asksForConsent && data.answer?.accepted === false ? (
          <p className={styles.text}>
            You did not agree, or withdrew your agreement, on {formatExactTime(data.answer.answered_at)}. So no
            monitored session runs. What you have watched until then is kept.
          </p>
        ) : null}
        <p className={styles.text}>{data.text}</p>
        <p className={styles.text}>
          <Link to={privacyAddress}>Privacy: what is recorded, and for how long</Link>
        </p>
        <Group>
          <Button onClick={() => send(true)} {...busyState(true)}>
            {asksForConsent ? 'I agree' : 'I have read this'}
          </Button>
          {asksForConsent ? (
            <Button variant="default" onClick={() => send(false)} {...busyState(false)}>
              I do not agree
            </Button>
          ) : null}
          <Button variant="subtle" onClick={onLeave}>
            Not now
          </Button>
        </Group>
      </Stack>
    </section>
  )
}
