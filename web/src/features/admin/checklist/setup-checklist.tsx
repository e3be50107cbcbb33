import { Button, CloseButton } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { z } from 'zod'
import { handOverFocus } from '../../../ui/controls/hand-over-focus.ts'
import { SkeletonRows } from '../../../ui/feedback/states.tsx'
import { useRememberedChoice } from '../../../ui/lists/remembered-choice.ts'
import styles from './setup-checklist.module.css'
import { type SetupStep, useSetupSteps } from './use-setup-steps.ts'

/**
 * The first steps of a new organisation, for its administrator. It goes when all are done or when
 * the administrator dismisses it, and stays away in this browser.
 */
export function SetupChecklist() {
  const [isClosed, setClosed] = useClosed()
  return isClosed ? null : <OpenChecklist onClose={() => setClosed(true)} />
}

/** Whether the first steps, if they are shown, have the height that they keep. */
export function useSetupChecklistLoaded(isShown: boolean): boolean {
  const [isClosed] = useClosed()
  const [isLoaded, setLoaded] = useState(isClosed)
  const { steps, failure } = useSetupSteps({ skip: isLoaded || !isShown })
  if (!isLoaded && (steps || failure)) setLoaded(true)
  return isLoaded
}

const useClosed = () => useRememberedChoice('setup-checklist-closed', z.boolean(), false)

function OpenChecklist({ onClose }: { onClose: () => void }) {
  const { steps, failure, retry } = useSetupSteps()
  const doneCount = steps?.filter(({ isDone }) => isDone).length ?? 0
  const isAllDone = steps !== undefined && doneCount === steps.length
  useEffect(() => {
    if (isAllDone) onClose()
  })
  if (isAllDone) return null
  return (
    <section ref={handOverFocus} className={styles.checklist} aria-labelledby="setup-checklist">
      <div className={styles.head}>
        <h2 id="setup-checklist" className={styles.title}>
          First steps
        </h2>
        {steps ? (
          <span className={styles.dim}>
            {doneCount} of {steps.length} done
          </span>
        ) : null}
        <CloseButton className={styles.close} aria-label="Dismiss first steps" onClick={onClose} />
      </div>
      {steps ? <Steps steps={steps} /> : failure ? <Failed onRetry={retry} /> : <AwaitedSteps />}
    </section>
  )
}

function AwaitedSteps() {
  return (
    <div className={styles.awaited}>
      <SkeletonRows rows={4} height={40} />
    </div>
  )
}

function Steps({ steps }: { steps: readonly SetupStep[] }) {
  return (
    <ol className={styles.steps}>
      {steps.map(({ title, state, isDone, link }) => (
        <li key={title} className={styles.step} data-done={isDone || undefined}>
          <span className={styles.mark} aria-hidden="true">
            {isDone ? '✓' : ''}
          </span>
          <div className={styles.words}>
            <h3 className={styles.name}>
              {title} <span className="wl-hidden">{isDone ? '(done)' : '(not done)'}</span>
            </h3>
            <p className={styles.dim}>{state}</p>
          </div>
          <Link to={link.to}>{link.label}</Link>
        </li>
      ))}
    </ol>
  )
}

function Failed({ onRetry }: { onRetry: () => void }) {
  return (
    <div ref={handOverFocus} className={styles.head}>
      <p className={styles.dim}>The first steps could not be checked.</p>
      <Button variant="default" size="xs" onClick={onRetry}>
        Try Again
      </Button>
    </div>
  )
}
