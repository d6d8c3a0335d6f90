---- MODULE CSV ----
\* Files of separated values; evaluators supply the operators.
LOCAL INSTANCE Integers

\* TRUE; the tool appends to file a line: template with its marks replaced by the elements of val.
CSVWrite(template, val, file) == TRUE

\* TRUE; the tool appends the fields of record to file, below a line of headers if the file is new.
CSVWriteRecord(record, delim, headers, file) == TRUE

\* The sequence of the records in file.
CSVRead(columns, delimiter, file) == CHOOSE v : TRUE

\* The number of lines in file.
CSVRecords(file) == CHOOSE n \in Nat : TRUE
====
