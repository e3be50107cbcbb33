import { describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { readPeopleFile } from '../src/jobs/people-import/read-people-file.ts'

const header = 'email,name,role'
const unclosed =
  'A quotation mark is not closed, or stands in the middle of a cell: nothing from here on could be read.'
const linesOf = async (text: string) => (await readPeopleFile(text)).rows.map(row => [row.line, row.email])
const problemsOf = async (text: string) =>
  (await readPeopleFile(text)).problems.map(problem => [problem.line, problem.message])

describe('a file of people', () => {
  test.each([
    ['commas', `${header}\ntrainee1@x.org,Trainee One,user\n`],
    ['semicolons', 'email;name;role\ntrainee1@x.org;Trainee One;user\n'],
    ['a byte order mark', `\uFEFF${header}\ntrainee1@x.org,Trainee One,user`],
    ['Windows line ends', `${header}\r\ntrainee1@x.org,Trainee One,user\r\n`],
    ['old Mac line ends', `${header}\rtrainee1@x.org,Trainee One,user\r`],
    ['quotes', '"email","name","role"\n"trainee1@x.org","Trainee One","user"\n'],
    ['columns in another order', 'role,email,name\nuser,trainee1@x.org,Trainee One\n'],
    ['a comma in a file of semicolons', 'email;name;role\ntrainee1@x.org;Trainee One;user\n'],
  ])('is read with %s', async (_name, text) => {
    expect(await readPeopleFile(text)).toEqual({
      rows: [
        {
          line: 2,
          email: 'trainee1@x.org',
          name: 'Trainee One',
          role: 'user',
          supervisor_email: '',
          manager_email: '',
        },
      ],
      problems: [],
    })
  })

  test('accepts common spellings of columns', async () => {
    const text = 'E-Mail;NAME;Role;Supervisor E-mail;Manager Email\na;b;c;d;e\n'
    expect((await readPeopleFile(text)).rows).toEqual([
      { line: 2, email: 'a', name: 'b', role: 'c', supervisor_email: 'd', manager_email: 'e' },
    ])
  })

  test('counts lines as an editor does: blank ones, quoted line breaks, and a last line without a newline', async () => {
    const text = `\n${header}\n\n\na@x.org,"A\n\nA",user\n , ,\r\nb@x.org,"B ""b"",\r\nB",user\nc@x.org,C,user`
    expect(await linesOf(text)).toEqual([
      [5, 'a@x.org'],
      [9, 'b@x.org'],
      [11, 'c@x.org'],
    ])
  })

  test('read in slices keeps characters of any width intact', async () => {
    const lines = Array.from({ length: 9_000 }, (_, index) => `p${index}@x.org,${'😀é'.repeat(5)}${index},user`)
    const { rows, problems } = await readPeopleFile([header, ...lines].join('\n'))
    expect(problems).toEqual([])
    expect(rows.at(-1)).toMatchObject({ line: 9_001, name: `${'😀é'.repeat(5)}8999` })
    expect(rows.filter(row => row.name.includes('\uFFFD'))).toEqual([])
  })

  test.each([
    [
      'an unknown column',
      'email,role,phone',
      ['There is no column “phone”. Columns are email, name, role, supervisor_email, manager_email.'],
    ],
    [
      'a column without a name',
      'email,role,',
      ['A column has no name. Columns are email, name, role, supervisor_email, manager_email.'],
    ],
    [
      'the beginning of a column',
      'email,role,Supervisor',
      ['There is no column “Supervisor”. Did you mean supervisor_email?'],
    ],
    ['a column twice', 'email,role,E-mail', ['The column email is there twice.']],
    [
      'no column for e-mail or role',
      'name,manager_email',
      ['The column email is missing.', 'The column role is missing.'],
    ],
    ['another encoding', '\uFFFD\uFFFDe\0m\0', ['The file is not UTF-8 text. Save it as UTF-8 and choose it again.']],
  ])('with %s is refused because of its header', async (_name, text, messages) => {
    const { rows, problems } = await readPeopleFile(`${text}\n=1,2,3,4,5,6\n`)
    expect(rows).toEqual([])
    expect(problems).toEqual(messages.map(message => ({ line: 1, column: null, message })))
  })

  test('without content or people is refused', async () => {
    expect(await problemsOf('')).toEqual([[1, 'The file is empty.']])
    expect(await problemsOf(' \n\n')).toEqual([[1, 'The file is empty.']])
    expect(await problemsOf(`${header}\n\n`)).toEqual([[1, 'The file names nobody.']])
  })

  test('a line with too few or too many cells is a problem; the others are read', async () => {
    const text = `${header}\na@x.org,A\nb@x.org,B,user,more\nc@x.org,C,user\n\uFFFD\n`
    expect(await problemsOf(text)).toEqual([
      [2, 'This line has 2 cells, the header 3.'],
      [3, 'This line has 4 cells, the header 3.'],
      [5, 'This line is not UTF-8 text.'],
    ])
    expect(await linesOf(text)).toEqual([[4, 'c@x.org']])
  })

  test.each([
    ['never closed', '"b@x.org,B,user\nc@x.org,C,user\n'],
    ['closed in the middle of a cell', '"b"@x.org,B,user\nc@x.org,C,user\n'],
    ['opened in the middle of a cell', 'b"@x.org,B,user\nc@x.org,C,user\n'],
  ])('a quotation mark that is %s is a problem of its line; the lines before are read', async (_name, text) => {
    const file = `${header}\na@x.org,"A\nA",user\n\n${text}`
    expect(await problemsOf(file)).toEqual([[5, unclosed]])
    expect(await linesOf(file)).toEqual([[2, 'a@x.org']])
  })

  test('with too many people names the first line beyond the limit', async () => {
    const lines = (count: number) => `${header}\n${'a@x.org,A,user\n'.repeat(count)}`
    expect(await problemsOf(lines(limits.importMaxLines))).toEqual([])
    expect(await problemsOf(lines(limits.importMaxLines + 5))).toEqual([
      [limits.importMaxLines + 2, 'The file has more than 10000 people. Import the rest with another file.'],
    ])
  })

  test('stops reading on a signal', async () => {
    await expect(readPeopleFile(header.repeat(100_000), AbortSignal.abort())).rejects.toThrow()
  })
})
