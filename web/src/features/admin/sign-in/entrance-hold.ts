import { createContext } from 'react'

/**
 * Keeps the entrance although somebody is signed in. Recovery codes are shown only once, and the
 * session may be read before the person has kept them.
 */
export const EntranceHoldContext = createContext<(isHeld: boolean) => void>(() => {})
