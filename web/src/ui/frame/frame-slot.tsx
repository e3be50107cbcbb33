import { createContext, type ReactNode, useContext } from 'react'
import { createPortal } from 'react-dom'

/** `actions`: the screen's buttons, before the bell. */
export type SlotName = 'actions'

export const FrameSlotsContext = createContext<Partial<Record<SlotName, HTMLElement>>>({})

/** Renders its children in the header; without a frame around it, in place. */
export function FrameSlot({ name, children }: { name: SlotName; children: ReactNode }) {
  const target = useContext(FrameSlotsContext)[name]
  return target ? createPortal(children, target) : children
}
