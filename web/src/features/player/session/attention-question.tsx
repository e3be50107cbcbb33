import { Button, Card, Group, Text, Title } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { formatDuration } from '../../../ui/dates/format.ts'
import type { Subscribable } from '../../../ui/hooks/subscribable.ts'
import { useSubscribable } from '../../../ui/hooks/use-subscribable.ts'
import { useSecondsUntil } from '../controls/use-seconds-until.ts'
import type { AttentionAction, PlayerApi } from '../player-api.ts'
import { type ShownCheck, toShownCheck } from './shown-check.ts'
import type { AnsweredReport } from './use-session.ts'

interface AttentionQuestionProps {
  latestAnswer: Subscribable<AnsweredReport | undefined>
  api: Pick<PlayerApi, 'answerAttentionCheck'>
  isPlaying: boolean
  pause: () => void
  /** Continues a video that the question has paused. */
  resume: () => void
  /** Theatre view hides the question. */
  suspendTheatre: () => void
  restoreTheatre: () => void
}

/**
 * The question whether the person is still watching, beside the video. Without an answer in time
 * the video pauses, again and again until there is one, and the question is in sight each time.
 * Nobody has to hurry: more time is one press away.
 */
export function AttentionQuestion({ latestAnswer, ...props }: AttentionQuestionProps) {
  const report = useSubscribable(latestAnswer)
  // A report that was sent before the answer may still name the check.
  const [changed, setChanged] = useState<{ id: string; check: ShownCheck | undefined }>()
  const reported = report?.attentionCheck
  const check = reported && changed?.id === reported.id ? changed.check : reported
  return check ? <OpenQuestion key={check.id} check={check} onChanged={setChanged} {...props} /> : null
}

interface OpenQuestionProps extends Omit<AttentionQuestionProps, 'latestAnswer'> {
  check: ShownCheck
  onChanged: (change: { id: string; check: ShownCheck | undefined }) => void
}

function OpenQuestion({ check, onChanged, api, isPlaying, pause, resume, ...theatre }: OpenQuestionProps) {
  const card = useRef<HTMLDivElement>(null)
  const [refusedPlays, setRefusedPlays] = useState(0)
  const [sending, setSending] = useState<AttentionAction>()
  const [hasFailed, setHasFailed] = useState(false)
  const hasPaused = useRef(false)
  const secondsLeft = useSecondsUntil(check.until)
  const isOverdue = secondsLeft === 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: a question begins and ends once
  useEffect(() => {
    theatre.suspendTheatre()
    return theatre.restoreTheatre
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only these two say when to pause
  useEffect(() => {
    if (!isOverdue || !isPlaying) return
    // The first pause interrupts nobody who writes. Later ones answer a press of Play.
    if (hasPaused.current) setRefusedPlays(count => count + 1)
    hasPaused.current = true
    theatre.suspendTheatre()
    pause()
  }, [isOverdue, isPlaying])
  // After theatre view has ended: it takes a focus outside for the viewer's wish to end it.
  useEffect(() => {
    if (refusedPlays > 0) card.current?.focus()
  }, [refusedPlays])

  async function send(action: AttentionAction) {
    setSending(action)
    const answer = await api.answerAttentionCheck(check.id, action)
    setSending(undefined)
    const isGone = !answer.ok && answer.status === 404
    setHasFailed(!answer.ok && !isGone)
    if (!answer.ok && !isGone) return
    const waiting = answer.ok ? answer.data.attention_check : undefined
    onChanged({ id: check.id, check: waiting && toShownCheck(waiting, Date.now()) })
    if (!waiting && hasPaused.current) resume()
  }

  return (
    <Card ref={card} tabIndex={-1} withBorder padding="md" mb="md" component="section" aria-label="Attention check">
      <div role="alert">
        <Title order={2} size="h4">
          Are you still watching?
        </Title>
        <Text size="sm">
          {isOverdue
            ? 'The video is paused until you answer. A note was made; no watched time is lost.'
            : 'Without an answer in time, the video pauses.'}
        </Text>
      </div>
      <Group gap="sm" mt="sm">
        <Button onClick={() => send('answer')} loading={sending === 'answer'}>
          Yes, I am watching
        </Button>
        {isOverdue ? null : (
          <Button variant="default" onClick={() => send('extend')} loading={sending === 'extend'}>
            I need more time
          </Button>
        )}
      </Group>
      {isOverdue ? null : (
        <Text size="sm" c="dimmed" mt="xs">
          {formatDuration(secondsLeft)} left
        </Text>
      )}
      {hasFailed ? (
        <Text size="sm" c="red" mt="xs" role="status">
          Your answer could not be sent. Please try again.
        </Text>
      ) : null}
    </Card>
  )
}
