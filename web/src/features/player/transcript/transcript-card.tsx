import { Button, TextInput } from '@mantine/core'
import { useId, useState } from 'react'
import { formatCount, formatPosition } from '../../../ui/dates/format.ts'
import type { Captions } from '../adapters/captions.ts'
import { useLatestCue } from '../controls/use-latest-cue.ts'
import type { PositionSource } from '../controls/use-position.ts'
import { MatchedText } from './matched-text.tsx'
import classes from './transcript.module.css'
import { useFollowedLine } from './use-followed-line.ts'

interface TranscriptCardProps {
  captions: Captions
  source: PositionSource
  /** The video cannot go to a position at present. */
  disabled: boolean
  onSeek: (seconds: number) => void
}

/** The captions of the video as a list: to read, to search, and to go to a place in the video. */
export function TranscriptCard({ captions: { transcript, language }, source, disabled, onSeek }: TranscriptCardProps) {
  const [search, setSearch] = useState('')
  const title = useId()
  const { index: current } = useLatestCue(source, transcript)
  const words = search.trim().toLocaleLowerCase()
  const lines = transcript
    .map((cue, index) => ({ cue, index }))
    .filter(({ cue }) => words === '' || cue.text.toLocaleLowerCase().includes(words))
  const { list, isFollowing, resumeFollowing } = useFollowedLine(current, words === '')
  return (
    <section className={classes.card} aria-labelledby={title}>
      <h2 id={title} className={classes.title}>
        Transcript
      </h2>
      <TextInput
        type="search"
        aria-label="Search the transcript"
        placeholder="Search the transcript"
        maxLength={100}
        value={search}
        onChange={event => setSearch(event.currentTarget.value)}
      />
      <p role="status" className={words === '' ? 'wl-hidden' : classes.hint}>
        {words === '' ? '' : `${formatCount(lines.length, 'line')} found`}
      </p>
      <ol ref={list} className={classes.lines} lang={language}>
        {lines.map(({ cue, index }) => (
          <li key={index} aria-current={index === current || undefined}>
            <button type="button" className={classes.line} disabled={disabled} onClick={() => onSeek(cue.start)}>
              <span className={classes.time}>{formatPosition(cue.start)}</span>
              <span dir="auto">
                <MatchedText text={cue.text} words={words} />
              </span>
            </button>
          </li>
        ))}
      </ol>
      {!isFollowing && words === '' && (
        <Button variant="default" size="xs" onClick={resumeFollowing}>
          Back to the present line
        </Button>
      )}
    </section>
  )
}
