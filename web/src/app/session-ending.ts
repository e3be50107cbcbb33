import { createContext } from 'react'

/** True while a session has ended and the reason is still being asked for. */
export const SessionEndingContext = createContext(false)
