import { relative } from 'node:path'

interface SuiteResult {
  testFilePath: string
  /** ms */
  perfStats: { runtime: number }
}

const shownSuites = 10

/** A Jest reporter that lists the suites that took longest, just before Jest's own summary. */
export default class SlowestSuitesReporter {
  onRunComplete(_contexts: unknown, { testResults }: { testResults: readonly SuiteResult[] }): void {
    if (testResults.length < 2) return
    const slowest = testResults.toSorted((a, b) => b.perfStats.runtime - a.perfStats.runtime).slice(0, shownSuites)
    process.stderr.write('\nSlowest suites\n')
    for (const { perfStats, testFilePath } of slowest) {
      const seconds = (perfStats.runtime / 1_000).toFixed(1).padStart(7)
      process.stderr.write(`${seconds} s  ${relative(process.cwd(), testFilePath)}\n`)
    }
    process.stderr.write('\n')
  }
}
