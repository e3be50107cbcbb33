import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { projectRoot } from '../../src/provision/paths.ts'
import { dashboard, groups, queries, scrapeConfig, selectedIn } from './_named.ts'

describe('queries', () => {
  test('parse, and those that do not are found', () => {
    expect(queries().length).toBeGreaterThan(80)
    for (const query of queries()) expect(selectedIn(query).length).toBeGreaterThan(0)
    for (const expr of ['sum(rate(x[5m])', 'sum by service (x)', 'x{a=~}', 'rate(x[5 minutes])'])
      expect(() => selectedIn({ where: 'here', expr })).toThrow('does not parse')
  })

  test('of recorded series ask for what is recorded', () => {
    const recorded = groups().flatMap(({ rules }) => rules.flatMap(({ record }) => (record ? [record] : [])))
    const asked = queries()
      .flatMap(selectedIn)
      .map(each => each.metric)
      .filter(metric => metric.includes(':'))
    for (const metric of asked) expect(recorded).toContain(metric)
  })
})

describe('alerts', () => {
  const alerts = groups().flatMap(({ rules }) => rules.filter(rule => rule.alert))

  test('say how grave they are, what is the matter, and what to read', () => {
    expect(alerts.length).toBeGreaterThan(20)
    for (const { labels, annotations, for: patience } of alerts) {
      expect(['critical', 'warning', 'info']).toContain(labels?.severity)
      expect(annotations?.summary).toMatch(/^\S.{15,}/)
      if (patience !== undefined) expect(patience).toMatch(/^\d+[smh]$/)
    }
    expect(new Set(alerts.map(each => each.alert)).size).toBe(alerts.length)
  })

  test('each have their heading in docs/operations.md, with meaning, check and cure; and no heading is left over', () => {
    const text = readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8')
    for (const { alert, annotations } of alerts) {
      expect(annotations?.runbook_url).toBe(`docs/operations.md#${alert!.toLowerCase()}`)
      const section = text.split(`\n#### ${alert}\n`)[1]?.split('\n#')[0]
      expect([alert, section]).toEqual([alert, expect.stringMatching(/Meaning: .+Check: .+Cure: /s)])
    }
    const headings = [...text.matchAll(/^#### (Watchline\w+)$/gm)].map(found => found[1])
    expect(headings.sort()).toEqual(alerts.map(each => each.alert).sort())
  })

  test('ask in their words only for labels that their series have', () => {
    for (const rule of alerts) {
      const used = [...rule.annotations!.summary!.matchAll(/\$labels\.(\w+)/g)].map(found => found[1]!)
      // Everything but an aggregation keeps what every scraped series has.
      const grouped = /^(sum|max|min|count|histogram_quantile|watchline:)/.test(rule.expr)
      const known = grouped ? [] : ['instance', 'job', 'service']
      const labels = new Set([
        ...known,
        ...selectedIn({ where: rule.alert!, expr: rule.expr }).flatMap(each => each.labels),
      ])
      for (const label of used) expect([rule.alert, [...labels]]).toEqual([rule.alert, expect.arrayContaining([label])])
    }
  })
})

describe('the dashboard', () => {
  test('has every panel once, and none over another', () => {
    const { panels } = dashboard()
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length)
    const taken = new Set<string>()
    for (const {
      gridPos: { x, y, w, h },
    } of panels) {
      expect(x + w).toBeLessThanOrEqual(24)
      for (let column = x; column < x + w; column += 1)
        for (let row = y; row < y + h; row += 1) {
          expect(taken.has(`${column} ${row}`)).toBe(false)
          taken.add(`${column} ${row}`)
        }
    }
  })

  test('chooses its data source and its services by variables', () => {
    const text = JSON.stringify(dashboard())
    expect(text.match(/"uid":"([^"]+)"/g)!.every(each => /\$\{datasource\}|"uid":"watchline"/.test(each))).toBe(true)
    expect(dashboard().templating.list.map(({ name }) => name)).toEqual(['datasource', 'service'])
  })
})

test.each(['prometheus.yml', 'prometheus.kubernetes.yml'])('%s scrapes the job that the alerts ask for', file => {
  const { scrape_configs: jobs, rule_files: rules } = scrapeConfig(file)
  expect(jobs).toMatchObject([{ job_name: 'watchline' }])
  expect(rules).toEqual(['alerts.yml'])
  const asked = queries()
    .flatMap(selectedIn)
    .flatMap(({ exactly }) => exactly.job ?? [])
  expect(new Set(asked)).toEqual(new Set(['watchline']))
})
