"""Checks a signed record without Watchline: python3 check-record.py FOLDER

FOLDER holds record.json and keys.json (GET /api/records/keys), and may hold, of the same time and
without a period: chain.jsonl (GET /api/records/chain), record.pdf, record.csv (the person's export)
and page.json (GET /api/engagement/record). Needs openssl, and pdftotext for the PDF.
"""
import csv, hashlib, io, json, os, re, subprocess, sys, tempfile
from base64 import b64decode

folder = sys.argv[1]
path = lambda name: os.path.join(folder, name)
read = lambda name: open(path(name), encoding='utf-8-sig', newline='').read()
canonical = lambda value: json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=False).encode()
digest = lambda value: hashlib.sha256(canonical(value)).hexdigest()
cents = lambda seconds: round(float(seconds) * 100)
length = lambda ranges: sum(cents(end) - cents(start) for start, end in ranges)


def expect(is_so, problem):
    if not is_so:
        sys.exit(f'{folder}: {problem}')


def verify(seal, signature):
    keys = {key['kid']: key['pem'] for key in json.loads(read('keys.json'))['keys']}
    expect(seal['key_id'] in keys, 'the key of the signature is unknown')
    with tempfile.TemporaryDirectory() as work:
        files = {'key': keys[seal['key_id']].encode(), 'text': canonical(seal), 'signature': b64decode(signature)}
        for name, content in files.items():
            open(os.path.join(work, name), 'wb').write(content)
        command = 'openssl pkeyutl -verify -rawin -pubin -inkey key -in text -sigfile signature'.split()
        result = subprocess.run(command, cwd=work, capture_output=True)
    expect(result.returncode == 0, f'the signature of seal {seal["number"]} is wrong')


outcomes = ['completed', 'marked_done', 'exempt', 'missed']


def find_attempts(part):
    """The figures with earlier attempts; a task or member without any has the same without."""
    without = {name: part[name] for name in ['credited_seconds', 'credited_in_period']}
    return part.get('all_attempts', {**without, **{f'{outcome}_occurrences': 0 for outcome in outcomes}})


def expect_task_attempts(task):
    """Documents of earlier versions have no figures with earlier attempts."""
    if 'all_attempts' in task:
        attempts = task['all_attempts']
        videos = task['videos'] + [video for attempt in task['earlier_attempts'] for video in attempt['videos']]
        expect(cents(attempts['credited_seconds']) == sum(length(video['ranges']) for video in videos), 'the attempts of a task do not add up')
        in_period = sum(cents(video['credited_in_period']) for video in videos)
        expect(cents(attempts['credited_in_period']) == in_period, 'the period of the attempts of a task does not add up')
        for outcome in outcomes:
            ended = [occurrence for occurrence in task.get('occurrences', []) if occurrence['outcome'] == outcome]
            expect(attempts[f'{outcome}_occurrences'] == len(ended), 'the occurrences of a task do not add up')
    return find_attempts(task)


def expect_attempts(whole, parts, name):
    if 'all_attempts' in whole:
        for figure, value in whole['all_attempts'].items():
            expect(cents(value) == sum(cents(part[figure]) for part in parts), f'{figure} of {name} with earlier attempts does not add up')


def expect_printed_attempts(printed, totals):
    if 'all_attempts' in totals:
        attempts, label = totals['all_attempts'], 'earlier attempts included'
        expect(printed(f'Credited in total, {label}')[:1] == [cents(attempts['credited_seconds'])], 'the total of the PDF with earlier attempts differs')
        if any(record['period'].values()):
            in_period = [cents(attempts['credited_in_period'])]
            expect(printed(f'Credited in the period, {label}')[:1] == in_period, 'the period of the PDF with earlier attempts differs')


file = json.loads(read('record.json'))
record, seal = file['record'], file['seal']
verify(seal, file['signature'])
expect(digest(record) == seal['record_sha256'], 'the record was changed')
expect([digest(person) for person in file['people']] == record['people'], 'a person was changed')

if os.path.exists(path('chain.jsonl')):
    *links, last = [json.loads(line) for line in read('chain.jsonl').splitlines()]
    hashes = ['0' * 64] + [digest(link['seal']) for link in links]
    expect([link['seal']['previous_sha256'] for link in links] + [last['head']['sha256']] == hashes, 'the chain is broken')
    expect(seal in [link['seal'] for link in links], 'the record is missing in the chain')

if record['format'] == 'watchline.record.1':
    tasks, totals = record['tasks'], record['totals']
    sums = {task['playlist_id']: sum(length(video['ranges']) for video in task['videos']) for task in tasks}
    expect(all(cents(task['credited_seconds']) == sums[task['playlist_id']] for task in tasks), 'a task does not add up')
    expect(cents(totals['credited_seconds']) == sum(sums.values()), 'the total does not add up')
    earlier = [sum(length(video['ranges']) for video in attempt['videos']) for task in tasks for attempt in task['earlier_attempts']]
    watch_time = cents(totals['watch_time'])
    expect_attempts(totals, [expect_task_attempts(task) for task in tasks], 'the total')

    if os.path.exists(path('page.json')):
        page = {item['playlist_id']: sum(length(video['watched']) for video in item['videos']) for item in json.loads(read('page.json'))['playlists']}
        expect(page == {id: sums[id] for id in page} and sum(page.values()) == sum(sums.values()), 'the page differs')
    if os.path.exists(path('record.csv')):
        rows = list(csv.DictReader(io.StringIO(read('record.csv'))))
        expect(sum(cents(row['watch_time_seconds']) for row in rows) == watch_time, 'the watch time of the CSV differs')
        expect(sum(cents(row['credited_seconds']) for row in rows) == sum(sums.values()) + sum(earlier), 'the CSV differs')
    if os.path.exists(path('record.pdf')):
        text = subprocess.run(['pdftotext', '-layout', path('record.pdf'), '-'], capture_output=True, check=True).stdout.decode()
        printed = lambda label: [cents(value) for value in re.findall(rf'^[ \f]*{label}: ([\d.]+) s \(', text, re.M)]
        expect(printed('Credited') == [sums[task['playlist_id']] for task in tasks], 'a task of the PDF differs')
        expect(printed('Credited in total') == [sum(sums.values())], 'the total of the PDF differs')
        expect(printed('Credited then') == earlier, 'an earlier attempt of the PDF differs')
        with_attempts = [cents(task['all_attempts']['credited_seconds']) for task in tasks if 'all_attempts' in task]
        expect(printed('Credited, earlier attempts included') == with_attempts, 'the attempts of a task of the PDF differ')
        expect_printed_attempts(printed, totals)
        if any(record['period'].values()):
            in_period = [cents(attempt['credited_in_period']) for task in tasks for attempt in task['earlier_attempts']]
            expect(printed('Credited then, in the period') == in_period, 'the period of an earlier attempt of the PDF differs')

if record['format'] == 'watchline.group_record.1':
    totals, members = record['totals'], record['members']
    for member in record['records']:
        expect(cents(member['credited_seconds']) == sum(cents(task['credited_seconds']) for task in member['tasks']), 'a member does not add up')
        if 'all_attempts' in member:
            expect_attempts(member, [find_attempts(task) for task in member['tasks']], 'a member')
    expect_attempts(totals, [find_attempts(member) for member in record['records']], 'the total')
    expect(cents(totals['credited_seconds']) == sum(cents(member['credited_seconds']) for member in record['records']), 'the total does not add up')
    expect(members['total'] - members['left_out'] == len(record['records']), 'the members do not add up')
    if os.path.exists(path('record.pdf')):
        text = subprocess.run(['pdftotext', '-layout', path('record.pdf'), '-'], capture_output=True, check=True).stdout.decode()
        printed = lambda label: [cents(value) for value in re.findall(rf'{label}: ([\d.]+) s \(', text)]
        expect(printed('Credited in total')[:1] == [cents(totals['credited_seconds'])], 'the total of the PDF differs')
        expect_printed_attempts(printed, totals)

print(f'{folder}: {record["format"]}, number {seal["number"]}, is genuine')
