import { useMediaQuery } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import { Bar, BarChart, Cell, LabelList, ReferenceLine, XAxis, YAxis } from 'recharts'
import { bandOf, bandWords } from '../../ui/completion-band.ts'
import { formatPercent } from '../../ui/format.ts'
import styles from './management.module.css'

interface ComparisonChartProps {
  bars: readonly { id: string; name: string; rate: number }[]
  label: string
}

/** As in completion bars: the text's yellow is too dark to be seen as one in a bar. */
const fills = { green: 'var(--wl-green)', yellow: 'light-dark(#b98a00, var(--wl-yellow))', red: 'var(--wl-red)' }
const ticks = [0, 20, 40, limits.completionYellow, limits.completionGreen, 100]
const barHeight = 40
const axisHeight = 48
/** Of the names beside the bars; a phone leaves the room to the bars. */
const names = { wide: { width: 128, letters: 18 }, narrow: { width: 88, letters: 12 } }

/** Each team's average completion as a bar. One picture to a screen reader; the figures stand in the table beside it. */
export function ComparisonChart({ bars, label }: ComparisonChartProps) {
  const phone = useMediaQuery('(max-width: 30em)', false, { getInitialValueInEffect: false })
  const { width, letters } = phone ? names.narrow : names.wide
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
          width={width}
          tickLine={false}
          axisLine={false}
          tick={tick}
          tickFormatter={id => short(bars.find(bar => bar.id === id)?.name ?? '', letters)}
        />
        <ReferenceLine x={limits.completionGreen} stroke="var(--wl-green)" strokeDasharray="4 4" />
        <ReferenceLine x={limits.completionYellow} stroke="var(--wl-yellow)" strokeDasharray="4 4" />
        <Bar dataKey="rate" barSize={16} radius={4} isAnimationActive={false}>
          {bars.map(({ id, rate }) => (
            <Cell key={id} fill={fills[bandOf(rate)]} />
          ))}
          <LabelList dataKey="words" position="right" fill="var(--wl-text)" fontSize={12} />
        </Bar>
      </BarChart>
    </div>
  )
}

function short(name: string, letters: number): string {
  return name.length > letters ? `${name.slice(0, letters - 1)}…` : name
}
