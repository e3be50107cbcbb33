import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { parse as parseYaml } from 'yaml'
import { projectRoot } from '../../src/provision/paths.ts'

/** A metric as a query selects it. */
export interface Selector {
  /** The place of the query, for example `panel Calls A`. */
  where: string
  metric: string
  /** The service that the query selects, if it selects one. */
  service: string | undefined
  /** Labels that the selector matches or that the query groups by. */
  labels: string[]
  /** Labels that must equal one value. */
  exactValues: Record<string, string>
}

export interface Query {
  where: string
  expr: string
}

interface Panel {
  id: number
  type: string
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { refId: string; expr: string }[]
}

export interface Dashboard {
  uid: string
  panels: Panel[]
  templating: { list: { name: string; definition?: string }[] }
  annotations: { list: { name: string; expr: string }[] }
}

export interface Rule {
  alert?: string
  record?: string
  expr: string
  for?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
}

const read = (path: string) => readFileSync(join(projectRoot, 'ops', path), 'utf8')

export const dashboard = (): Dashboard => JSON.parse(read('grafana/watchline.json'))
export const groups = (): { name: string; rules: Rule[] }[] => parseYaml(read('prometheus/alerts.yml')).groups
export const scrapeConfig = (file: string) => parseYaml(read(`prometheus/${file}`))

/** Every query of the dashboard and the rules, with values for Grafana's variables. */
export function queries(): Query[] {
  const { panels, annotations, templating } = dashboard()
  const ofPanels = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ refId, expr }) => ({ where: `panel ${title} ${refId}`, expr })),
  )
  const ofAnnotations = annotations.list.map(({ name, expr }) => ({ where: `annotation ${name}`, expr }))
  const ofVariables = templating.list.flatMap(({ name, definition }) => {
    const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(definition ?? '') ?? []
    return metric ? [{ where: `variable ${name}`, expr: `count by (${label}) (${metric})` }] : []
  })
  const ofRules = groups().flatMap(({ rules }) =>
    rules.map(({ alert, record, expr }) => ({ where: `rule ${alert ?? record}`, expr })),
  )
  return [...ofPanels, ...ofAnnotations, ...ofVariables, ...ofRules].map(({ where, expr }) => ({
    where,
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$service', '.*'),
  }))
}

/** The metrics of a query, by Prometheus' own grammar. Throws if the query does not parse. */
export function selectorsOf({ where, expr }: Query): Selector[] {
  const found: Selector[] = []
  const grouping = new Set<string>()
  const textOf = (node: { from: number; to: number }) => expr.slice(node.from, node.to)
  const tree = parser.parse(expr)
  tree.iterate({
    enter: ({ type, from }) => {
      if (type.isError) throw new Error(`${where}: ${expr} does not parse at ${from}`)
    },
  })
  tree.iterate({
    enter: node => {
      if (node.name === 'GroupingLabels')
        for (const label of node.node.getChildren('LabelName')) grouping.add(textOf(label))
      if (node.name !== 'VectorSelector') return
      const matchers = node.node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []
      const conditions = matchers.map(matcher => ({
        label: textOf(matcher.getChild('LabelName')!),
        op: textOf(matcher.getChild('MatchOp')!),
        value: textOf(matcher.getChild('StringLiteral')!).slice(1, -1),
      }))
      const exactly = Object.fromEntries(
        conditions.filter(({ op }) => op === '=').map(({ label, value }) => [label, value]),
      )
      const metric = textOf(node.node.getChild('Identifier')!)
      found.push({
        where,
        metric,
        service: exactly.service,
        labels: conditions.map(({ label }) => label),
        exactValues: exactly,
      })
    },
  })
  for (const selector of found) selector.labels.push(...grouping)
  return found
}
