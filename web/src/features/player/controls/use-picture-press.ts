import { type RefObject, useEffect, useRef } from 'react'

/**
 * A click on the picture plays or pauses. A tap does so only while the controls are shown; while
 * they have faded, it brings them back. YouTube's player keeps its presses to itself.
 */
export function usePicturePress(stage: RefObject<HTMLElement | null>, isIdle: boolean, toggle: () => void): void {
  const latest = useRef({ isIdle, toggle })
  useEffect(() => {
    latest.current = { isIdle, toggle }
  })
  useEffect(() => {
    const element = stage.current
    if (!element) return
    let onlyShowsControls = false
    // In the capture phase: the press itself ends the idle state before the click.
    const press = (event: PointerEvent) => {
      onlyShowsControls = event.pointerType === 'touch' && latest.current.isIdle
    }
    const click = (event: MouseEvent) => {
      if (event.target instanceof HTMLVideoElement && !onlyShowsControls) latest.current.toggle()
    }
    element.addEventListener('pointerdown', press, true)
    element.addEventListener('click', click)
    return () => {
      element.removeEventListener('pointerdown', press, true)
      element.removeEventListener('click', click)
    }
  }, [stage])
}
