-- The database of the examples in these pages.
create table authors (
  id integer primary key,
  name text not null,
  born integer
);

create table books (
  id integer primary key,
  title text not null,
  author_id integer references authors(id),
  year integer,
  price real,
  tags text,
  added text
);
create index books_by_year on books(year);

create table members (
  id integer primary key,
  name text,
  email text
);

create view old_books as select id, title, year from books where year < 1900;

insert into authors values
  (1, 'Jane Austen', 1775),
  (2, 'Mary Shelley', 1797),
  (3, 'Virginia Woolf', 1882),
  (4, 'Jorge Luis Borges', 1899);

insert into books values
  (1, 'Sense and Sensibility', 1, 1811, 9.5, '["novel", "romance"]', '2024-03-01'),
  (2, 'Pride and Prejudice', 1, 1813, 8.0, '["novel", "romance"]', '2024-03-01'),
  (3, 'Emma', 1, 1815, 7.25, '["novel"]', '2024-03-02'),
  (4, 'Frankenstein', 2, 1818, 12.0, '["novel", "gothic"]', '2024-03-02'),
  (5, 'The Last Man', 2, 1826, null, '["novel"]', '2024-04-11'),
  (6, 'Mrs Dalloway', 3, 1925, 11.0, '["novel"]', '2024-04-11'),
  (7, 'Orlando', 3, 1928, 10.0, '["novel"]', '2024-05-20'),
  (8, 'Ficciones', 4, 1944, 14.0, '["stories"]', '2024-05-20');

insert into members values
  (1, 'Ada', 'ada@example.org'),
  (2, 'Grace', 'grace@example.org');

create virtual table books_fts using fts5(title, content=books, content_rowid=id);
insert into books_fts(books_fts) values ('rebuild');
