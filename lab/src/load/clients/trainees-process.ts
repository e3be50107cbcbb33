// The process of the trainees. Its arguments are the product's address, the number of trainees, and
// how long a call waits for its answer, ms.
import { serveParent } from '../child-process.ts'
import { createTrainees } from './trainees.ts'

const [url, count, limitMs] = process.argv.slice(2)
serveParent(await createTrainees(url!, Number(count), Number(limitMs)))
