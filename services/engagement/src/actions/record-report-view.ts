import type { Report } from '@watchline/contracts/reports'
import type { Person } from '@watchline/identity/people'
import type { ViewedPart } from '../store/detail-views.ts'
import { recordDetailView } from './record-detail-view.ts'

/** Records that the viewer saw the figures of people, if the rows of the report are people. */
export async function recordReportView(
  ctx: Parameters<typeof recordDetailView>[0],
  viewer: Pick<Person, 'id'>,
  { by, rows }: Pick<Report, 'by' | 'rows'>,
  what: ViewedPart,
): Promise<void> {
  if (by !== 'person') return
  const people = rows.flatMap(({ id }) => (id === null ? [] : [{ id }]))
  await recordDetailView(ctx, viewer, people, what)
}
