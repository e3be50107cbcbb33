import { Button, Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { csvText } from '@watchline/contracts/csv'
import type { ImportProblem, PeopleImport } from '@watchline/contracts/people-imports'
import { useState } from 'react'
import { formatCount, formatNumber } from '../../../ui/dates/format.ts'
import { Pager } from '../../../ui/lists/pager.tsx'
import { DownloadLink } from './download-link.tsx'
import styles from './people-import.module.css'

const pageSize = 50
const wholeLine = 'whole line'

/** The problems of a file by line, in pages, and as a file for download. */
export function ImportProblems({
  peopleImport,
  onStartAgain,
}: {
  peopleImport: PeopleImport
  onStartAgain: () => void
}) {
  const [page, setPage] = useState(0)
  const { problems, problem_count: count, file_name: fileName } = peopleImport
  const shownProblems = problems.slice(page * pageSize, (page + 1) * pageSize)
  const [firstProblem] = problems

  return (
    <>
      <p className={styles.words}>
        Nobody was imported from {fileName}, and nothing has changed. Correct the file, save it and choose it again.
        {firstProblem ? ' Line 1 is the line that names the columns.' : ''}
      </p>
      {count > problems.length ? (
        <p className={styles.words}>
          The first {formatNumber(problems.length)} of {formatNumber(count)} problems are listed.
        </p>
      ) : null}
      <div className={styles.actions}>
        <Button onClick={onStartAgain}>Choose the corrected file</Button>
        {firstProblem ? (
          <DownloadLink fileName={problemsFileName(fileName)} text={problemsText(problems)} className={styles.download}>
            Download the problems
          </DownloadLink>
        ) : null}
      </div>
      {firstProblem ? (
        <div>
          <ProblemList problems={shownProblems} firstIndex={page * pageSize} />
          <Pager
            page={page}
            pageSize={pageSize}
            count={shownProblems.length}
            total={problems.length}
            hasNext={(page + 1) * pageSize < problems.length}
            nouns={['problem', 'problems']}
            onPage={setPage}
          />
        </div>
      ) : (
        <p className={styles.words}>
          {count > 0 ? formatCount(count, 'problem') : 'Data that this import needs has changed meanwhile.'}
        </p>
      )}
    </>
  )
}

function ProblemList({ problems, firstIndex }: { problems: readonly ImportProblem[]; firstIndex: number }) {
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const rows = problems.map((problem, index) => ({ ...problem, key: firstIndex + index }))
  if (isNarrow)
    return (
      <ul className={styles.problems} aria-label="Problems by line">
        {rows.map(({ key, line, column, message }) => (
          <li key={key}>
            <span className={styles.dim}>
              Line {formatNumber(line)}, {column ? <code>{column}</code> : wholeLine}
            </span>
            <span>{message}</span>
          </li>
        ))}
      </ul>
    )
  return (
    <div className={styles.table}>
      <Table layout="fixed" aria-label="Problems by line">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={96} ta="end">
              Line
            </Table.Th>
            <Table.Th w={184}>Column</Table.Th>
            <Table.Th>What is wrong</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ key, line, column, message }) => (
            <Table.Tr key={key}>
              <Table.Td ta="end" className="wl-figures">
                {formatNumber(line)}
              </Table.Td>
              <Table.Td>{column ? <code>{column}</code> : <span className={styles.dim}>{wholeLine}</span>}</Table.Td>
              <Table.Td>{message}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

function problemsText(problems: readonly ImportProblem[]): string {
  return csvText([
    ['line', 'column', 'problem'],
    ...problems.map(({ line, column, message }) => [line, column, message]),
  ])
}

function problemsFileName(fileName: string): string {
  return `${fileName.replace(/\.csv$/i, '')}-problems.csv`
}
