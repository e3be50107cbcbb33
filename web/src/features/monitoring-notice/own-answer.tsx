import { Button } from '@mantine/core'
import { useRef } from 'react'
import { asFailure } from '../../api/failure.ts'
import { useKeptFocus } from '../../ui/controls/use-kept-focus.ts'
import { formatExactTime } from '../../ui/dates/format.ts'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import { LoadFailed } from '../../ui/feedback/states.tsx'
import { useAnswerMonitoringNoticeMutation, useGetMonitoringNoticeQuery } from './notice-api.ts'

/** The person's answer to the notice in their record, which they may withdraw; else nothing. */
export function OwnNoticeAnswer() {
  const alerts = useAlerts()
  const section = useRef<HTMLElement>(null)
  useKeptFocus(section)
  const { data, error, isFetching, refetch } = useGetMonitoringNoticeQuery(undefined, {
    refetchOnMountOrArgChange: true,
  })
  const [answer, call] = useAnswerMonitoringNoticeMutation()
  if (!data && error)
    return (
      <LoadFailed
        message="Couldn’t load your answer to the notice about monitored sessions."
        failure={asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
      />
    )
  if (!data?.answer || data.mode === 'off') return null
  const { accepted, answered_at } = data.answer
  const verb = data.mode === 'consent' ? (accepted ? 'agreed' : 'did not agree') : 'confirmed that you have read it'

  async function withdraw() {
    const { error } = await answer({ body: { version: data!.version, accepted: false } })
    if (error) alerts.fail('Your answer could not be saved', asFailure(error))
    else
      alerts.succeed('Your agreement is withdrawn. A running monitored session ends now, and none starts without it.')
  }

  return (
    <section ref={section} tabIndex={-1} aria-labelledby="own-notice-answer">
      <h2 id="own-notice-answer">Notice about monitored sessions</h2>
      <p>
        You {verb} on {formatExactTime(answered_at)}.
      </p>
      {data.mode === 'consent' && accepted ? (
        <Button mt="xs" variant="default" onClick={withdraw} loading={call.isLoading}>
          Withdraw
        </Button>
      ) : null}
    </section>
  )
}
