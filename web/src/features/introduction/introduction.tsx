import { Button } from '@mantine/core'
import { useMergedRef } from '@mantine/hooks'
import type { Role } from '@watchline/contracts/people'
import { useRef } from 'react'
import { flushSync } from 'react-dom'
import { z } from 'zod'
import { handOverFocus } from '../../ui/controls/hand-over-focus.ts'
import { openIntroduction, useCommand } from '../../ui/frame/frame-commands.ts'
import { useRememberedChoice } from '../../ui/lists/remembered-choice.ts'
import styles from './introduction.module.css'
import { introductionTexts } from './introduction-texts.ts'

/**
 * The purpose of a role's dashboard. It stands above the dashboard, where a newcomer begins. Each
 * person dismisses it once; the person's menu opens it again.
 */
export function Introduction({ role }: { role: Role }) {
  const card = useRef<HTMLElement>(null)
  const cardRef = useMergedRef(card, handOverFocus)
  const [isDismissed, setDismissed] = useRememberedChoice('introduction-dismissed', z.boolean(), false)

  useCommand(openIntroduction, () => {
    flushSync(() => setDismissed(false))
    card.current?.focus()
  })

  if (isDismissed) return null
  return (
    <section ref={cardRef} tabIndex={-1} className={styles.card} aria-labelledby="introduction">
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
  )
}
