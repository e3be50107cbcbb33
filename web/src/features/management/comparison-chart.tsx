import { limits } from '@watchline/contracts/limits'
import { Bar, BarChart, Cell, LabelList, ReferenceLine, XAxis, YAxis } from 'recharts'
import { bandOf, bandWords } from '../../ui/completion-band.ts'
import { formatPercent } from '../../ui/format.ts'
import styles from './management.module.css'

interface ComparisonChartProps {
  bars: readonly { id: string; name: string; rate: number }[]
  label: string
}

const ticks = [0, 20, 40, limits.completionYellow, limits.completionGreen, 100]
const barHeight = 40
const axisHeight = 48
const nameLength = 18

/** Each team's average completion as a bar. One picture to a screen reader; the figures stand in the table beside it. */
export function ComparisonChart({ bars, label }: ComparisonChartProps) {
  const tick = { fill: 'var(--wl-dim)', fontSize: 12 }
  return (
    <div role="img" aria-label={label} className={styles.chart}>
      <BarChart
        responsive
        layout="vertical"
        style={{ width: '100%', height: bars.length * barHeight + axisHeight }}
        data={bars.map(bar => ({ ...bar, words: `${formatPercent(bar.rate)} ${bandWords[bandOf(bar.rate)]}` }))}
        margin={{ top: 8, right: 88, bottom: 0, left: 0 }}
        accessibilityLayer={false}
      >
        <XAxis
          type="number"
          domain={[0, 100]}
          ticks={ticks}
          tickFormatter={formatPercent}
          tickLine={false}
          stroke="var(--wl-line-strong)"
          tick={tick}
        />
        {/* By id: two supervisors may have one name. */}
        <YAxis
          type="category"
          dataKey="id"
          width={128}
          tickLine={false}
          axisLine={false}
          tick={tick}
          tickFormatter={id => short(bars.find(bar => bar.id === id)?.name ?? '')}
        />
        <ReferenceLine x={limits.completionGreen} stroke="var(--wl-green)" strokeDasharray="4 4" />
        <ReferenceLine x={limits.completionYellow} stroke="var(--wl-yellow)" strokeDasharray="4 4" />
        <Bar dataKey="rate" barSize={16} radius={4} isAnimationActive={false}>
          {bars.map(({ id, rate }) => (
            <Cell key={id} fill={`var(--wl-${bandOf(rate)})`} />
          ))}
          <LabelList dataKey="words" position="right" fill="var(--wl-text)" fontSize={12} />
        </Bar>
      </BarChart>
    </div>
  )
}

function short(name: string): string {
  return name.length > nameLength ? `${name.slice(0, nameLength - 1)}…` : name
}
