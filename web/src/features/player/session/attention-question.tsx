import { Button, Card, Group, Text, Title } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { formatDuration } from '../../../ui/dates/format.ts'
import { useSecondsUntil } from '../controls/use-seconds-until.ts'
import type { ShownCheck } from './attention-checks.ts'
import type { Session } from './use-session.ts'

interface AttentionQuestionProps {
  check: ShownCheck
  checks: Pick<Session['attentionChecks'], 'answer'>
  isPlaying: boolean
  playlistEnded: boolean
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
export function AttentionQuestion({
  check,
  checks,
  isPlaying,
  playlistEnded,
  pause,
  resume,
  ...theatre
}: AttentionQuestionProps) {
  const card = useRef<HTMLDivElement>(null)
  const [refusedPlays, setRefusedPlays] = useState(0)
  const hasPaused = useRef(false)
  const secondsLeft = useSecondsUntil(check.until)
  const isOverdue = secondsLeft === 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: a question begins and ends once
  useEffect(() => {
    theatre.suspendTheatre()
    // The message at the end closes for the question, and had the focus.
    if (playlistEnded) card.current?.focus()
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

  function answer() {
    checks.answer(check, 'answer')
    if (hasPaused.current) resume()
  }

  return (
    <Card ref={card} tabIndex={-1} withBorder padding="md" mb="md" component="section" aria-label="Attention check">
      <div role="alert">
        <Title order={2} size="h4">
          Are you still watching?
        </Title>
        <Text size="sm">
          {isOverdue
            ? 'The video is paused until you answer. A missing answer is noted; no watched time is lost.'
            : 'Without an answer in time, the video pauses.'}
        </Text>
      </div>
      <Group gap="sm" mt="sm">
        <Button onClick={answer}>Yes, I am watching</Button>
        {isOverdue || check.isExtended ? null : (
          <Button variant="default" onClick={() => checks.answer(check, 'extend')}>
            I need more time
          </Button>
        )}
      </Group>
      {isOverdue ? null : (
        <Text size="sm" c="dimmed" mt="xs">
          {formatDuration(secondsLeft)} left
        </Text>
      )}
      {check.isRefused ? (
        <Text size="sm" c="red" mt="xs" role="status">
          Your answer was not accepted. Please answer again.
        </Text>
      ) : null}
    </Card>
  )
}
