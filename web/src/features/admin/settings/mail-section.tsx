import { Button, Group } from '@mantine/core'
import type { getMailStatus } from '@watchline/contracts/mail'
import type { ResponseOf } from '@watchline/contracts/operation'
import { useState } from 'react'
import { Link } from 'react-router'
import { asFailure } from '../../../api/failure.ts'
import { RelativeTime } from '../../../ui/dates/relative-time.tsx'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { SendingOutcome } from '../../../ui/feedback/sending-outcome.tsx'
import { adminAddress } from '../admin-address.ts'
import styles from './settings.module.css'
import { useClearBounceMutation, useGetMailStatusQuery, useSendTestMailMutation } from './settings-api.ts'

type Status = ResponseOf<typeof getMailStatus>

/** Tests the mail server, and shows the mails and addresses that need the administrator. */
export function MailSection() {
  const { data } = useGetMailStatusQuery()
  // The card above says what to do without a mail server.
  if (!data?.is_available) return null
  return (
    <section aria-labelledby="mails">
      <h2 id="mails" className={styles.title}>
        Mails
      </h2>
      <div>
        <p className={styles.dim}>{describeCounts(data)}</p>
        <p>
          <Link to={adminAddress.mails}>Change the times of reminders and the words of mails</Link>
        </p>
        <TestMail />
        <Bounces bounces={data.bounces} />
        <Failures failures={data.latest_failures} />
      </div>
    </section>
  )
}

function describeCounts({ counts, reads_reports }: Status): string {
  const words = [
    counts.waiting === 0 ? 'No mails are waiting.' : `${formatCount(counts.waiting)} to be sent.`,
    counts.unknown === 0 ? '' : describeUnknown(counts.unknown, reads_reports),
    counts.failed === 0 ? 'None failed.' : `${formatCount(counts.failed, 'failed')}.`,
    counts.unverified ? describeUnverified(counts.unverified) : '',
  ]
  return words.filter(Boolean).join(' ')
}

function describeUnverified(count: number): string {
  const verb = count === 1 ? 'was' : 'were'
  const next = 'All users marks these people as unverified.'
  return `${formatCount(count, verb)} not sent because the sign-in provider has not confirmed the address. ${next}`
}

function describeUnknown(count: number, readsReports: boolean): string {
  const mails = count === 1 ? 'one mail' : `${count.toLocaleString('en')} mails`
  const next = readsReports
    ? 'Watchline waits for a delivery report, and sends again if none comes.'
    : 'Watchline waits a while, then sends again.'
  return `The answer to ${mails} was lost. ${next}`
}

function formatCount(count: number, verb?: string): string {
  const mails = count === 1 ? 'One mail' : `${count.toLocaleString('en')} mails`
  return verb ? `${mails} ${verb}` : `${mails} ${count === 1 ? 'waits' : 'wait'}`
}

function TestMail() {
  const [sendTest, { isLoading }] = useSendTestMailMutation()
  const [outcome, setOutcome] = useState<{ isSent: boolean; words: string }>()

  async function send() {
    if (isLoading) return
    setOutcome(undefined)
    const { data, error } = await sendTest()
    if (data)
      setOutcome({ isSent: true, words: `Sent to ${data.address}. The mail server answered: ${data.server_reply}` })
    else setOutcome({ isSent: false, words: asFailure(error).detail ?? 'The test mail could not be sent.' })
  }

  return (
    <>
      <Group mt="md">
        <Button variant="default" onClick={send} aria-disabled={isLoading}>
          {isLoading ? 'Sending…' : 'Send me a test mail'}
        </Button>
      </Group>
      <SendingOutcome hasFailed={outcome?.isSent === false}>{outcome?.words ?? ''}</SendingOutcome>
    </>
  )
}

function Bounces({ bounces }: { bounces: Status['bounces'] }) {
  const alerts = useAlerts()
  const [clear] = useClearBounceMutation()
  if (bounces.length === 0) return null

  async function tryAgain({ person_id, person_name }: Status['bounces'][number]) {
    const { error } = await clear({ params: { id: person_id } })
    if (error && asFailure(error).status !== 404) alerts.fail('This could not be saved', asFailure(error))
    else alerts.succeed(`${person_name} gets mails again`)
  }

  return (
    <>
      <h3 className={styles.name}>Addresses that refuse mails</h3>
      <p className={styles.dim}>These people get no mails until their address changes, or you try it again.</p>
      <ul className={styles.links}>
        {bounces.map(bounce => (
          <li key={bounce.person_id} className={styles.card}>
            <span className={styles.name}>{bounce.person_name}</span>
            <p className={styles.dim}>
              {bounce.address}, <RelativeTime time={bounce.at} inline />
            </p>
            <p>{bounce.server_reply}</p>
            <Button
              variant="default"
              size="xs"
              className={styles.cardAction}
              aria-label={`Try ${bounce.person_name} again`}
              onClick={() => void tryAgain(bounce)}
            >
              Try again
            </Button>
          </li>
        ))}
      </ul>
    </>
  )
}

function Failures({ failures }: { failures: Status['latest_failures'] }) {
  if (failures.length === 0) return null
  return (
    <details className={styles.failures}>
      <summary>Latest mails that failed</summary>
      <ul>
        {failures.map(({ id, created_at, attempts, explanation }) => (
          <li key={id}>
            <RelativeTime time={created_at} inline />, {attempts === 1 ? 'one attempt' : `${attempts} attempts`}:{' '}
            {explanation ?? 'no answer'}
          </li>
        ))}
      </ul>
    </details>
  )
}
