import { failField } from '@watchline/kit/core/errors'
import { isEdited, type Playlist } from '../rules/playlist.ts'
import {
  isProblem,
  type Position,
  type PositionProblem,
  type ReportedPosition,
  readPosition,
} from '../rules/position.ts'

/**
 * Resolves a reported position. Fails with the request's field name from `fieldNames` if it is
 * invalid.
 */
export function readReportedPosition(
  playlist: Playlist,
  reported: ReportedPosition,
  fieldNames: Record<PositionProblem['part'], string>,
): Position {
  const position = readPosition(playlist.videos, reported, isEdited(playlist))
  if (!isProblem(position)) return position
  failField(fieldNames[position.part], position.message)
}
