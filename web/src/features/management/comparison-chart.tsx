import { limits } from '@watchline/contracts/limits'
import { formatPercent } from '../../ui/dates/format.ts'
import { bandOf, bandWords } from '../../ui/progress/completion-band.ts'
import styles from './comparison-chart.module.css'

interface ComparisonChartProps {
  bars: readonly { id: string; name: string; rate: number }[]
  label: string
}

const ticks = [0, 20, 40, limits.completionYellow, limits.completionGreen, 100]
const marks = [
  { rate: limits.completionYellow, band: 'yellow' },
  { rate: limits.completionGreen, band: 'green' },
] as const

/**
 * A bar of each team's average completion. Names and figures stand outside of the bars' area, so
 * that no mark crosses them. Screen readers get the chart as one image with `label`; a table beside
 * it has the figures.
 */
export function ComparisonChart({ bars, label }: ComparisonChartProps) {
  return (
    <div role="img" aria-label={label} className={styles.chart}>
      {bars.map(({ id, name, rate }) => (
        <div key={id} className={styles.row}>
          <span className={styles.name} title={name}>
            {name}
          </span>
          <span className={styles.area}>
            {marks.map(mark => (
              <span
                key={mark.rate}
                className={styles.mark}
                data-band={mark.band}
                style={{ insetInlineStart: formatPercent(mark.rate) }}
              />
            ))}
            <span className={styles.bar} data-band={bandOf(rate)} style={{ width: `${rate}%` }} />
          </span>
          <span className={styles.figure}>
            {formatPercent(rate)} {bandWords[bandOf(rate)]}
          </span>
        </div>
      ))}
      <div className={styles.row}>
        <span className={`${styles.area} ${styles.axis}`}>
          {ticks.map(tick => (
            <span key={tick} className={styles.tick} style={{ insetInlineStart: formatPercent(tick) }}>
              {formatPercent(tick)}
            </span>
          ))}
        </span>
      </div>
    </div>
  )
}
