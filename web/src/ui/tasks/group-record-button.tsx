import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import type {
  AllAttempts,
  GroupRecord,
  GroupRecordSelection,
  MemberRecord,
  RecordedFigures,
  RecordSelection,
} from '@watchline/contracts/records'
import { useState } from 'react'
import { Link } from 'react-router'
import { asFailure } from '../../api/failure.ts'
import { useGetGroupRecordQuery } from '../../api/group-record.ts'
import { downloadGroupRecord } from '../../api/issue-document.ts'
import { StackedDialog } from '../controls/stacked-dialog.tsx'
import { DayRange } from '../dates/day-range.tsx'
import { formatCount, formatNumber, formatWatchTime } from '../dates/format.ts'
import { parseDay } from '../dates/parse-day.ts'
import { Loaded, SkeletonRows } from '../feedback/states.tsx'
import { DocumentDownload } from '../files/document-download.tsx'
import { Pager } from '../lists/pager.tsx'
import { PlaylistFilter } from '../lists/playlist-filter.tsx'
import detailStyles from '../people/detail-view-list.module.css'

interface GroupRecordButtonProps {
  group: { id: string; name: string }
  /** Chosen when the dialog opens. */
  selection?: RecordSelection
}

/** Opens a dialog that shows the record of a group, and downloads it with a signature. */
export function GroupRecordButton({ group, selection = {} }: GroupRecordButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="default" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Signed record…
      </Button>
      <StackedDialog
        name="group-record"
        opened={isOpen}
        onClose={() => setOpen(false)}
        size="lg"
        title={`Signed record of “${group.name}”`}
      >
        {isOpen ? <GroupRecordForm groupId={group.id} initial={selection} /> : null}
      </StackedDialog>
    </>
  )
}

const countPendingText = 'The number of parts has just changed. Please try again.'

function GroupRecordForm({ groupId, initial }: { groupId: string; initial: RecordSelection }) {
  const [days, setDays] = useState({ from: initial.from ?? '', until: initial.until ?? '' })
  const [playlistId, setPlaylistId] = useState(initial.playlist_id ?? '')
  const [partCount, setPartCount] = useState('')
  const [part, setPart] = useState<GroupRecord['part']>()
  const [from, until] = [parseDay(days.from), parseDay(days.until)]
  const isReversed = from !== undefined && until !== undefined && from > until
  const [settledPartCount] = useDebouncedValue(partCount, limits.searchDebounceMs)
  const parts = readPartCount(settledPartCount)
  // The shown record, and the parts to download, are still those of the number before.
  const isCountPending = settledPartCount !== partCount
  const isWrongCount = partCount !== '' && readPartCount(partCount) === undefined
  const selection: GroupRecordSelection = {
    ...{ ...(from && { from }), ...(until && { until }) },
    ...(playlistId && { playlist_id: playlistId }),
    ...(part ? { part: part.number, parts: part.of } : parts !== undefined ? { parts } : {}),
  }
  const input = { params: { groupId }, query: selection }
  const { currentData, error, isFetching, refetch } = useGetGroupRecordQuery(input, {
    skip: isReversed,
    refetchOnMountOrArgChange: true,
  })
  // The choice stays while another part is loading.
  const currentPart = part ?? currentData?.part

  return (
    <Stack gap="md">
      <Text size="sm">
        What each member was assigned, watched and completed. A long record is divided into parts. The files also have
        the reasons of exceptions and of changed terms. The signature shows anybody that Watchline issued it and nobody
        changed it: <Link to="/verify">verify a record</Link>.
      </Text>
      <Group align="start">
        <DayRange
          labels={['First day', 'Last day']}
          {...days}
          onChange={(field, day) => setDays(current => ({ ...current, [field]: day }))}
          isReversed={isReversed}
          max="2999-12-31"
        />
        <PlaylistFilter value={playlistId} onChange={setPlaylistId} />
        <TextInput
          type="number"
          inputMode="numeric"
          label="Number of parts"
          placeholder="As few as possible"
          min={1}
          max={limits.groupRecordPartsMax}
          value={partCount}
          error={isWrongCount ? `Enter a number from 1 to ${limits.groupRecordPartsMax}` : undefined}
          onChange={event => {
            setPartCount(event.currentTarget.value)
            setPart(undefined)
          }}
        />
        {currentPart ? (
          <NativeSelect
            label="Part"
            data={Array.from({ length: currentPart.of }, (_, index) => ({
              value: String(index + 1),
              label: `${index + 1} of ${currentPart.of}`,
            }))}
            value={currentPart.number}
            onChange={event => setPart({ ...currentPart, number: Number(event.currentTarget.value) })}
          />
        ) : null}
      </Group>
      <Loaded
        message="Couldn’t load the record."
        {...(error !== undefined && { failure: asFailure(error) })}
        onRetry={refetch}
        retrying={isFetching}
        placeholder={isReversed ? null : <SkeletonRows rows={3} />}
      >
        {currentData && <RecordOfMembers record={currentData} />}
      </Loaded>
      <DocumentDownload
        download={type => downloadGroupRecord(groupId, selection, type)}
        obstacle={isReversed || isWrongCount ? '' : isCountPending ? countPendingText : undefined}
      />
    </Stack>
  )
}

/** Undefined if it is empty or no possible number. */
function readPartCount(text: string): number | undefined {
  const count = Number(text)
  return text !== '' && Number.isInteger(count) && count >= 1 && count <= limits.groupRecordPartsMax ? count : undefined
}

const pageSize = 25

function RecordOfMembers({ record }: { record: GroupRecord }) {
  const { members, part, period, records, totals, people } = record
  const [page, setPage] = useState(0)
  const start = Math.min(page, Math.max(0, Math.ceil(records.length / pageSize) - 1)) * pageSize
  const shown = records.slice(start, start + pageSize)
  return (
    <section aria-label="Record">
      <Text size="sm">
        Members are those of now: {formatCount(members.total, 'person', 'people')}.
        {members.left_out > 0
          ? ` ${formatNumber(members.left_out)} left out: you may not see their records, or they are not trainees.`
          : ''}
        {part ? ` Part ${part.number} of ${part.of} has ${formatCount(records.length, 'member')}.` : ''}
      </Text>
      <Text size="sm" mb="xs">
        {[
          `${formatCount(totals.tasks, 'task')}, ${formatNumber(totals.completed_tasks)} completed`,
          ...describeFigures(totals, period),
          formatCount(totals.sessions, 'session'),
        ].join(' · ')}
      </Text>
      {records.length === 0 ? (
        <Text size="sm">This group has no member whose record you can see.</Text>
      ) : (
        <ul className={detailStyles.list} aria-label="Members">
          {shown.map(member => (
            <li key={member.person}>
              <span>{people[member.person]?.name}</span>
              <span className={detailStyles.dim}>{describeMember(member, period)}</span>
            </li>
          ))}
        </ul>
      )}
      <Pager
        page={start / pageSize}
        pageSize={pageSize}
        count={shown.length}
        total={records.length}
        hasNext={start + pageSize < records.length}
        onPage={setPage}
      />
    </section>
  )
}

type Figures = Pick<RecordedFigures, 'credited_seconds' | 'credited_in_period'> & Pick<MemberRecord, 'all_attempts'>

/** Ended occurrences, and the credited time with earlier attempts, as the files have them. */
function describeFigures(figures: Figures, period: GroupRecord['period']): string[] {
  const { all_attempts } = figures
  const { credited_seconds, credited_in_period } = all_attempts ?? figures
  return [
    ...(all_attempts ? describeOccurrences(all_attempts) : []),
    `${formatWatchTime(credited_seconds)} credited`,
    ...(period.from || period.until ? [`${formatWatchTime(credited_in_period)} of it in the period`] : []),
  ]
}

function describeOccurrences(attempts: AllAttempts): string[] {
  const { completed_occurrences: completed, marked_done_occurrences: markedDone } = attempts
  const count = completed + markedDone + attempts.exempt_occurrences + attempts.missed_occurrences
  return count > 0 ? [`${formatCount(count, 'ended occurrence')}, ${formatNumber(completed)} completed`] : []
}

function describeMember({ tasks, ...figures }: MemberRecord, period: GroupRecord['period']): string {
  if (tasks.length === 0) return 'No task'
  const completed = tasks.filter(task => task.completed).length
  const excepted = tasks.filter(({ override }) => override).length
  return [
    `${formatNumber(completed)} of ${formatCount(tasks.length, 'task')} completed`,
    ...(excepted > 0 ? [`${formatNumber(excepted)} closed by an exception`] : []),
    ...describeFigures(figures, period),
    formatCount(
      tasks.reduce((sum, { sessions }) => sum + sessions, 0),
      'session',
    ),
  ].join(' · ')
}
