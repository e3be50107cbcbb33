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

/** The colours of completion bars. The yellow of text would look brown in a bar. */
const fills = { green: 'var(--wl-green)', yellow: 'light-dark(#b98a00, var(--wl-yellow))', red: 'var(--wl-red)' }
const ticks = [0, 20, 40, limits.completionYellow, limits.completionGreen, 100]
const barHeight = 40
const axisHeight = 48
/** The space for names beside the bars, in pixels and letters. */
const nameAxis = { wide: { width: 128, letters: 18 }, narrow: { width: 88, letters: 12 } }

/**
 * A bar of each team's average completion. Screen readers get it as one image with `label`; a table
 * beside it has the figures.
 */
export function ComparisonChart({ bars, label }: ComparisonChartProps) {
  const isPhone = useMediaQuery('(max-width: 30em)', false, { getInitialValueInEffect: false })
  const { width, letters } = isPhone ? nameAxis.narrow : nameAxis.wide
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
        {/* The key is the id, because two supervisors may have the same name. */}
        <YAxis
          type="category"
          dataKey="id"
          width={width}
          tickLine={false}
          axisLine={false}
          tick={tick}
          tickFormatter={id => shorten(bars.find(bar => bar.id === id)?.name ?? '', letters)}
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

function shorten(name: string, letters: number): string {
  return name.length > letters ? `${name.slice(0, letters - 1)}…` : name
}
