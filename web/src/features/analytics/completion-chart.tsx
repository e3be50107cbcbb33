import { limits } from '@watchline/contracts/limits'
import { CartesianGrid, Line, LineChart, ReferenceLine, Tooltip, XAxis, YAxis } from 'recharts'
import { formatPercent } from '../../ui/dates/format.ts'
import styles from './analytics.module.css'
import { type Day, formatDay, formatShortDay } from './days.ts'

const ticks = [0, 20, 40, limits.completionYellow, limits.completionGreen, 100]

/**
 * A line chart of the completion rate by day. Screen readers get it as one image with `label`; a
 * table below it has the figures.
 */
export function CompletionChart({ days, label }: { days: readonly Day[]; label: string }) {
  return (
    <div role="img" aria-label={label} className={styles.chart}>
      <LineChart
        responsive
        style={{ width: '100%', height: '100%' }}
        data={[...days]}
        margin={{ top: 8, right: 16, bottom: 0, left: 0 }}
        accessibilityLayer={false}
      >
        <CartesianGrid vertical={false} stroke="var(--wl-line)" />
        <XAxis
          dataKey="date"
          tickFormatter={formatShortDay}
          minTickGap={32}
          tickLine={false}
          stroke="var(--wl-line-strong)"
          tick={{ fill: 'var(--wl-dim)', fontSize: 12 }}
        />
        <YAxis
          domain={[0, 100]}
          ticks={ticks}
          tickFormatter={formatPercent}
          width={56}
          tickLine={false}
          axisLine={false}
          tick={{ fill: 'var(--wl-dim)', fontSize: 12 }}
        />
        <ReferenceLine y={limits.completionGreen} stroke="var(--wl-green)" strokeDasharray="4 4" />
        <ReferenceLine y={limits.completionYellow} stroke="var(--wl-yellow)" strokeDasharray="4 4" />
        <Tooltip
          isAnimationActive={false}
          labelFormatter={date => formatDay(String(date))}
          formatter={value => [formatPercent(Number(value)), 'Completion']}
          contentStyle={{
            background: 'var(--wl-card)',
            border: '1px solid var(--wl-line)',
            borderRadius: 'var(--wl-radius)',
            color: 'var(--wl-text)',
            fontSize: 14,
          }}
          itemStyle={{ color: 'var(--wl-text)' }}
          cursor={{ stroke: 'var(--wl-line-strong)' }}
        />
        <Line
          dataKey="completion_rate"
          type="linear"
          stroke="var(--wl-strip-filled)"
          strokeWidth={2}
          dot={days.length <= 7}
          isAnimationActive={false}
        />
      </LineChart>
    </div>
  )
}
