import { type ReactNode, useState } from 'react'

interface OnceOpenedProps {
  opened: boolean
  children: ReactNode
}

/**
 * Renders a dialog from when it is first opened, so that its code loads only then. It stays,
 * because its closing is animated.
 */
export function OnceOpened({ opened, children }: OnceOpenedProps) {
  const [wasOpened, setWasOpened] = useState(opened)
  if (opened && !wasOpened) setWasOpened(true)
  return wasOpened ? children : null
}
