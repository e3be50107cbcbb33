import { Button } from '@mantine/core'
import { useMergedRef } from '@mantine/hooks'
import type { Role } from '@watchline/contracts/people'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { z } from 'zod'
import { handOverFocus } from '../../ui/controls/hand-over-focus.ts'
import { openIntroduction, useCommand } from '../../ui/frame/frame-commands.ts'
import { useRememberedChoice } from '../../ui/lists/remembered-choice.ts'
import styles from './introduction.module.css'
import { introductionTexts } from './introduction-texts.ts'

/**
 * The purpose of a role's dashboard. It stands below the dashboard, so that it is never in the way
 * of work. Each person dismisses it once; the person's menu opens it again.
 */
export function Introduction({ role }: { role: Role }) {
  const card = useRef<HTMLElement>(null)
  const cardRef = useMergedRef(card, handOverFocus)
  const [isReopened, setReopened] = useState(false)
  const [isDismissed, setDismissed] = useRememberedChoice('introduction-dismissed', z.boolean(), false)

  useCommand(openIntroduction, () => {
    flushSync(() => {
      setReopened(true)
      setDismissed(false)
    })
    card.current?.focus()
  })

  if (isDismissed) return null
  return (
    <>
      <div className={styles.space} aria-hidden="true" />
      <section
        ref={cardRef}
        tabIndex={-1}
        className={styles.card}
        data-reopened={isReopened || undefined}
        aria-labelledby="introduction"
      >
        <h2 id="introduction" className={styles.title}>
          About this screen
        </h2>
        <ul className={styles.lines}>
          {introductionTexts[role].map(line => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        <Button variant="default" size="xs" onClick={() => setDismissed(true)}>
          Got it
        </Button>
      </section>
    </>
  )
}
