import { useState } from 'react'

/** The value, or the one before it while there is none: what a dialog goes on showing while it fades. */
export function useLasting<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value)
  if (value !== undefined && value !== last) setLast(value)
  return value ?? last
}
