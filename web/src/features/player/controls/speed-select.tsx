import classes from './controls.module.css'
import { creditedRates } from './playback-rates.ts'

interface SpeedSelectProps {
  /** The speed at which the video plays. */
  rate: number
  /** The fastest playback that is credited. */
  maxRate: number
  onChange: (rate: number) => void
}

/** The speeds at which watched time counts. The last line says why there are no faster ones. */
export function SpeedSelect({ rate, maxRate, onChange }: SpeedSelectProps) {
  const speeds = [...new Set([...creditedRates(maxRate), rate])].toSorted((a, b) => a - b)
  return (
    <select
      className={`${classes.select} ${classes.speed}`}
      aria-label="Playback speed"
      title="Playback speed"
      value={rate}
      onChange={event => onChange(Number(event.currentTarget.value))}
    >
      {speeds.map(value => (
        <option key={value} value={value}>
          {value}×
        </option>
      ))}
      <option disabled>Faster playback would not be credited</option>
    </select>
  )
}
