import { useState } from 'react'

/** The value, or the last one while there is none: the content of a dialog that fades. */
export function useLastValue<T>(value: T | undefined): T | undefined {
  const [lastValue, setLast] = useState(value)
  if (value !== undefined && value !== lastValue) setLast(value)
  return value ?? lastValue
}
