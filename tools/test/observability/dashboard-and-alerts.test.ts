import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { projectRoot } from '../../src/provision/paths.ts'
import { dashboard, groups, queries, scrapeConfig, selectorsOf } from './_queries.ts'

describe('queries', () => {
  test('parse, and malformed ones are an error', () => {
    expect(queries().length).toBeGreaterThan(80)
    for (const query of queries()) expect(selectorsOf(query).length).toBeGreaterThan(0)
    for (const expr of ['sum(rate(x[5m])', 'sum by service (x)', 'x{a=~}', 'rate(x[5 minutes])'])
      expect(() => selectorsOf({ where: 'here', expr })).toThrow('does not parse')
  })

  test('use only recorded series that a rule records', () => {
    const recorded = groups().flatMap(({ rules }) => rules.flatMap(({ record }) => (record ? [record] : [])))
    const usedMetrics = queries()
      .flatMap(selectorsOf)
      .map(selector => selector.metric)
      .filter(metric => metric.includes(':'))
    for (const metric of usedMetrics) expect(recorded).toContain(metric)
  })
})

describe('alerts', () => {
  const alerts = groups().flatMap(({ rules }) => rules.filter(rule => rule.alert))

  test('have a severity, a summary and a duration', () => {
    expect(alerts.length).toBeGreaterThan(20)
    for (const { labels, annotations, for: patience } of alerts) {
      expect(['critical', 'warning', 'info']).toContain(labels?.severity)
      expect(annotations?.summary).toMatch(/^\S.{15,}/)
      if (patience !== undefined) expect(patience).toMatch(/^\d+[smh]$/)
    }
    expect(new Set(alerts.map(rule => rule.alert)).size).toBe(alerts.length)
  })

  test('match the headings in docs/operations.md, each with meaning, check and cure', () => {
    const text = readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8')
    for (const { alert, annotations } of alerts) {
      expect(annotations?.runbook_url).toBe(`docs/operations.md#${alert!.toLowerCase()}`)
      const section = text.split(`\n#### ${alert}\n`)[1]?.split('\n#')[0]
      expect([alert, section]).toEqual([alert, expect.stringMatching(/Meaning: .+Check: .+Cure: /s)])
    }
    const headings = [...text.matchAll(/^#### (Watchline\w+)$/gm)].map(found => found[1])
    expect(headings.sort()).toEqual(alerts.map(rule => rule.alert).sort())
  })

  test('use only labels of their series in their summaries', () => {
    for (const rule of alerts) {
      const used = [...rule.annotations!.summary!.matchAll(/\$labels\.(\w+)/g)].map(found => found[1]!)
      // Only an aggregation drops the labels that every scraped series has.
      const isGrouped = /^(sum|max|min|count|histogram_quantile|watchline:)/.test(rule.expr)
      const scrapeLabels = isGrouped ? [] : ['instance', 'job', 'service']
      const labels = new Set([
        ...scrapeLabels,
        ...selectorsOf({ where: rule.alert!, expr: rule.expr }).flatMap(selector => selector.labels),
      ])
      for (const label of used) expect([rule.alert, [...labels]]).toEqual([rule.alert, expect.arrayContaining([label])])
    }
  })
})

describe('the dashboard', () => {
  test('has unique panels that do not overlap', () => {
    const { panels } = dashboard()
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length)
    const cells = new Set<string>()
    for (const {
      gridPos: { x, y, w, h },
    } of panels) {
      expect(x + w).toBeLessThanOrEqual(24)
      for (let column = x; column < x + w; column += 1)
        for (let row = y; row < y + h; row += 1) {
          expect(cells.has(`${column} ${row}`)).toBe(false)
          cells.add(`${column} ${row}`)
        }
    }
  })

  test('selects data source and services by variables', () => {
    const text = JSON.stringify(dashboard())
    expect(text.match(/"uid":"([^"]+)"/g)!.every(uid => /\$\{datasource\}|"uid":"watchline"/.test(uid))).toBe(true)
    expect(dashboard().templating.list.map(({ name }) => name)).toEqual(['datasource', 'service'])
  })
})

interface ScrapeJob {
  job_name: string
  relabel_configs?: { target_label?: string; replacement?: string }[]
}

test.each(['prometheus.yml', 'prometheus.kubernetes.yml'])('%s scrapes the job of the alerts', file => {
  const { scrape_configs: jobs, rule_files: rules } = scrapeConfig(file)
  const names = jobs.map(
    ({ job_name, relabel_configs: labels = [] }: ScrapeJob) =>
      labels.find(({ target_label }) => target_label === 'job')?.replacement ?? job_name,
  )
  expect(new Set(names)).toEqual(new Set(['watchline']))
  expect(rules).toEqual(['alerts.yml'])
  const usedMetrics = queries()
    .flatMap(selectorsOf)
    .flatMap(({ exactValues: exactly }) => exactly.job ?? [])
  expect(new Set(usedMetrics)).toEqual(new Set(['watchline']))
})
