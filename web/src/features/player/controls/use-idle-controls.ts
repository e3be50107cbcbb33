import { type RefObject, useEffect, useState } from 'react'

const idleAfterMs = 3_000
const activity = ['pointermove', 'pointerdown', 'keydown', 'focusin'] as const

/**
 * True while the controls over the picture fade: the video plays, and nobody has moved, tapped or
 * pressed a key in the player for 3 seconds. They stay while one of them has the keyboard focus.
 */
export function useIdleControls(stage: RefObject<HTMLElement | null>, isPlaying: boolean): boolean {
  const [isIdle, setIsIdle] = useState(false)
  useEffect(() => {
    const element = stage.current
    setIsIdle(false)
    if (!element || !isPlaying) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const restart = () => {
      setIsIdle(false)
      clearTimeout(timer)
      timer = setTimeout(hideUnlessFocused, idleAfterMs)
    }
    const hideUnlessFocused = () => {
      if (element.querySelector('button:focus-visible, input:focus-visible, select:focus-visible')) restart()
      else setIsIdle(true)
    }
    restart()
    for (const name of activity) element.addEventListener(name, restart)
    return () => {
      clearTimeout(timer)
      for (const name of activity) element.removeEventListener(name, restart)
    }
  }, [stage, isPlaying])
  return isIdle
}
