import { useEffect, useState } from 'react'

const secondsUntil = (time: number) => Math.max(0, Math.ceil((time - Date.now()) / 1_000))

/** The seconds until a time in ms, rounded up; 0 from that time on. */
export function useSecondsUntil(time: number): number {
  const [seconds, setSeconds] = useState(() => secondsUntil(time))
  useEffect(() => {
    setSeconds(secondsUntil(time))
    if (time <= Date.now()) return
    const timer = setInterval(() => setSeconds(secondsUntil(time)), 1_000)
    return () => clearInterval(timer)
  }, [time])
  return seconds
}
