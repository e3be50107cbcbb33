import { useMediaQuery } from '@mantine/hooks'
import { type RefObject, useEffect, useState } from 'react'
import { isComposing } from '../../../ui/controls/is-composing.ts'

/** The picture fills the window, apart from the browser's own full screen. */
export interface Theatre {
  isOn: boolean
  toggle: () => void
  /** Shows what theatre view covers, until the viewer toggles it or `restore` is called. */
  suspend: () => void
  restore: () => void
}

/** A low screen that is touched; a zoomed page on a desktop is low, too, but has a mouse. */
export const landscapePhone = '(orientation: landscape) and (max-height: 30em) and (pointer: coarse)'

/**
 * On by the viewer's choice, and on a phone in landscape. It ends by Escape, and when the focus
 * moves to what it covers.
 */
export function useTheatre(stage: RefObject<HTMLElement | null>): Theatre {
  const isLandscapePhone = useMediaQuery(landscapePhone, false, { getInitialValueInEffect: false })
  const [choice, setChoice] = useState<{ isOn: boolean; isLandscapePhone: boolean }>()
  const [isSuspended, setIsSuspended] = useState(false)
  const isChosen = choice?.isLandscapePhone === isLandscapePhone ? choice.isOn : isLandscapePhone
  const isOn = isChosen && !isSuspended
  useEffect(() => {
    const element = stage.current
    if (!isOn || !element) return
    const end = () => setChoice({ isOn: false, isLandscapePhone })
    const endByKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !isComposing(event)) end()
    }
    const endByFocus = ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget instanceof Element && !element.contains(relatedTarget) && !relatedTarget.closest('dialog'))
        end()
    }
    document.addEventListener('keydown', endByKey)
    element.addEventListener('focusout', endByFocus)
    return () => {
      document.removeEventListener('keydown', endByKey)
      element.removeEventListener('focusout', endByFocus)
    }
  }, [stage, isOn, isLandscapePhone])
  return {
    isOn,
    toggle() {
      setIsSuspended(false)
      setChoice({ isOn: !isOn, isLandscapePhone })
    },
    suspend: () => setIsSuspended(true),
    restore: () => setIsSuspended(false),
  }
}
