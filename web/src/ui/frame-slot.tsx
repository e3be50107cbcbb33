import { createContext, type ReactNode, useContext } from 'react'
import { createPortal } from 'react-dom'

/** `actions`: buttons of the screen, before the bell. */
export type SlotName = 'actions'

export const FrameSlotsContext = createContext<Partial<Record<SlotName, HTMLElement>>>({})

/** Puts what a screen has to show in the header there; without a frame around it stays where it is. */
export function FrameSlot({ name, children }: { name: SlotName; children: ReactNode }) {
  const target = useContext(FrameSlotsContext)[name]
  return target ? createPortal(children, target) : children
}
