import { Button, NativeSelect, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { Playlist } from '@watchline/contracts/playlists'
import { useState } from 'react'
import { countAssignees } from '../../../api/assignees.ts'
import { asFailure } from '../../../api/failure.ts'
import { allPlaylists, useListPlaylistsQuery } from '../../../api/lists.ts'
import { usePlaylistSearch } from '../../../api/playlist-search.ts'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { formatCount, formatDuration } from '../../../ui/dates/format.ts'
import { EmptyState, Loaded, SkeletonRows } from '../../../ui/feedback/states.tsx'
import listStyles from '../../../ui/lists/list.module.css'
import { Pager } from '../../../ui/lists/pager.tsx'
import { useRememberedChoice } from '../../../ui/lists/remembered-choice.ts'
import { usePages, useShownPage } from '../../../ui/lists/use-pages.ts'
import { useFullyAssigned } from '../assign/use-fully-assigned.ts'
import styles from '../playlists.module.css'
import { useListTasksQuery } from '../playlists-api.ts'
import { type PlaylistOrder, playlistOrder, playlistOrderNames, serverOrders, sortPlaylists } from './playlist-order.ts'

interface TasksMenuProps extends TaskActions {
  opened: boolean
  onClose: () => void
  /** The person has a manager, who shares tasks with them. */
  hasManager: boolean
  /** Directors have playlists and no tasks. */
  hasTasks: boolean
  onCreate: () => void
}

interface TaskActions {
  onAssign: (task: Playlist) => void
  onStart?: (playlistId: string) => void
}

export function TasksMenu({ opened, onClose, ...content }: TasksMenuProps) {
  return (
    <StackedDialog name="tasks" opened={opened} onClose={onClose} size="lg" title="Tasks Menu">
      <Content {...content} />
    </StackedDialog>
  )
}

const searchFrom = 8
/** The tasks on a page if there are more than one answer holds. */
const pageSize = 25

function Content({ onAssign, onStart, hasManager, hasTasks, onCreate }: Omit<TasksMenuProps, 'opened' | 'onClose'>) {
  const [searchText, setSearchText] = useState('')
  const [order, setOrder] = useRememberedChoice<PlaylistOrder>('tasks-order', playlistOrder, 'newest')
  const firstAnswer = useTasks(allPlaylists.query, { hasTasks })
  // The server sorts a long list, because sorting one page of it would mislead.
  const isLong = firstAnswer.data?.nextCursor !== undefined
  const { query, isPending, isMatch } = usePlaylistSearch(searchText, isLong)
  const pages = usePages(JSON.stringify([query.search, order]))
  const pageQuery = { limit: pageSize, search: query.search, order, cursor: pages.cursor }
  const pageAnswer = useTasks(pageQuery, { hasTasks, skip: !isLong })
  const { data, currentData, error, isFetching, refetch } = isLong ? pageAnswer : firstAnswer
  const shownPage = useShownPage(pages.page, currentData !== undefined)
  const matchingTasks = data?.items.filter(isMatch)
  const tasks = matchingTasks && (isLong ? matchingTasks : sortPlaylists(matchingTasks, order))
  const list = data && tasks && (
    <>
      {isLong || data.items.length > searchFrom || searchText !== '' ? (
        <TextInput
          label="Search"
          type="search"
          placeholder="Title"
          maxLength={limits.titleMaxLength}
          value={searchText}
          onChange={event => setSearchText(event.currentTarget.value)}
          mb="sm"
        />
      ) : null}
      {isLong || data.items.length > 1 ? (
        <NativeSelect
          label="Sort by"
          data={playlistOrder.options.map(value => ({ value, label: playlistOrderNames[value] }))}
          value={order}
          onChange={event => setOrder(event.currentTarget.value as PlaylistOrder)}
          mb="sm"
        />
      ) : null}
      {hasManager ? (
        <p className={`${listStyles.dim} ${styles.hint}`}>
          These playlists are shared by your manager. Your own playlists are on the tab Playlists.
        </p>
      ) : null}
      {firstAnswer.data?.items.length === 0 ? <NoTasks hasManager={hasManager} onCreate={onCreate} /> : null}
      {firstAnswer.data?.items.length !== 0 && tasks.length === 0 ? (
        <NoTaskFound isLoading={isPending || currentData === undefined} />
      ) : null}
      <TaskList tasks={tasks} onAssign={onAssign} onStart={onStart} />
      {isLong ? (
        <Pager
          page={shownPage}
          pageSize={pageSize}
          count={data.items.length}
          total={data.total}
          countedAtMost={query.search ? limits.maxCountedTotal : undefined}
          hasNext={data.nextCursor !== undefined}
          nouns={['task', 'tasks']}
          onPage={page => pages.open(page, currentData?.nextCursor)}
        />
      ) : null}
    </>
  )
  const failure = error && asFailure(error)
  const message =
    failure?.status === 403
      ? 'Access denied. Please ensure you have supervisor role.'
      : 'Failed to load tasks. Please try again.'
  return (
    <Loaded
      message={message}
      failure={failure}
      onRetry={refetch}
      retrying={isFetching}
      placeholder={<SkeletonRows rows={3} height={88} />}
    >
      {list}
    </Loaded>
  )
}

interface TaskPage {
  limit: number
  search?: string | undefined
  /** Absent for newest first. */
  order?: PlaylistOrder
  cursor?: string | undefined
}

/** People without own tasks (403, 404) get their playlists instead. */
function useTasks({ order, ...page }: TaskPage, { hasTasks, skip = false }: { hasTasks: boolean; skip?: boolean }) {
  const tasks = useListTasksQuery(
    { query: { ...page, ...(order && serverOrders[order]) } },
    { skip: skip || !hasTasks, refetchOnMountOrArgChange: true },
  )
  const isRefused = tasks.error !== undefined && [403, 404].includes(asFailure(tasks.error).status)
  const hasNoTasks = !hasTasks || isRefused
  const playlists = useListPlaylistsQuery(
    { query: { ...page, ...(order && serverOrders[order]) } },
    { skip: skip || !hasNoTasks, refetchOnMountOrArgChange: true },
  )
  return hasNoTasks ? playlists : tasks
}

function TaskList({ tasks, onAssign, onStart }: TaskActions & { tasks: readonly Playlist[] }) {
  const isFullyAssigned = useFullyAssigned()
  return (
    <ul className={styles.lines} aria-label="Tasks">
      {tasks.map(task => (
        <li key={task.id} className={styles.task}>
          <div className={styles.taskTop}>
            <span className={listStyles.cut} title={task.title}>
              <strong>{task.title}</strong>
            </span>
            <TaskStatus task={task} />
          </div>
          <div className={listStyles.facts}>
            <span>{formatDuration(task.total_duration)}</span>
            <span>{formatCount(task.videos.length, 'video')}</span>
            {countAssignees(task) > 0 ? (
              <span>assigned to {formatCount(countAssignees(task), 'person', 'people')}</span>
            ) : null}
          </div>
          <div className={styles.actions}>
            <Button
              size="xs"
              variant={isFullyAssigned(task) ? 'default' : 'filled'}
              aria-label={`Assign: ${task.title}`}
              onClick={() => onAssign(task)}
            >
              Assign
            </Button>
            {onStart ? (
              <Button
                size="xs"
                variant="default"
                aria-label={`Start Task: ${task.title}`}
                onClick={() => onStart(task.id)}
              >
                Start Task
              </Button>
            ) : null}
          </div>
        </li>
      ))}
    </ul>
  )
}

function TaskStatus({ task }: { task: Playlist }) {
  const isActive = countAssignees(task) > 0
  return <span className={isActive ? styles.active : styles.unassigned}>{isActive ? 'Active' : 'Unassigned'}</span>
}

function NoTaskFound({ isLoading }: { isLoading: boolean }) {
  if (isLoading) return <p className={listStyles.dim}>Searching…</p>
  return <EmptyState title="No task found">Try another title.</EmptyState>
}

function NoTasks({ hasManager, onCreate }: { hasManager: boolean; onCreate: () => void }) {
  if (hasManager)
    return (
      <EmptyState title="No tasks yet">
        Your manager has not shared a playlist with you yet. As soon as one is shared, you can assign it here.
      </EmptyState>
    )
  return (
    <EmptyState title="No tasks yet" action={<Button onClick={onCreate}>New playlist</Button>}>
      Create a playlist; then you can assign it to your team here.
    </EmptyState>
  )
}
